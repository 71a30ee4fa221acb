/* The language of the chrome: English or Chinese (SPEC 9). Every area brings its own texts with
   `defineTexts`; model text is never translated. One i18next instance; `<html lang>` follows it. */
import i18next from 'i18next'
import { useMemo } from 'react'
import { initReactI18next, useTranslation } from 'react-i18next'

export type Language = 'en' | 'zh'

/** What `<html lang>` says; the style sheets select on `zh`. */
export const htmlLangByLanguage = { en: 'en', zh: 'zh-CN' } as const satisfies Record<Language, string>

type Values = Record<string, string | number>
/** `rows_one` and `rows_other` are asked for as `rows` with a `count`. */
type Asked<Key extends string> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key
export type Text<Key extends string> = (key: Asked<Key>, values?: Values) => string

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: {}, zh: {} },
  // React escapes; escaping here as well would show entities.
  interpolation: { escapeValue: false },
  initAsync: false,
  react: { useSuspense: false },
})

export function setLanguage(language: Language): void {
  if (i18next.language !== language) void i18next.changeLanguage(language)
  document.documentElement.lang = htmlLangByLanguage[language]
}

/**
 * Registers the texts of one area. `use` is the hook for components, which render again when the language
 * changes; `text` reads the current language outside of them.
 */
export function defineTexts<const Texts extends Record<string, string>>(
  area: string,
  texts: { en: Texts; zh: Record<Extract<keyof Texts, string>, string> },
): { use: () => Text<Extract<keyof Texts, string>>; text: Text<Extract<keyof Texts, string>> } {
  type Key = Extract<keyof Texts, string>
  i18next.addResourceBundle('en', area, texts.en)
  i18next.addResourceBundle('zh', area, texts.zh)
  const text: Text<Key> = (key, values) => i18next.t(key, { ns: area, ...values })
  return {
    use() {
      const { i18n } = useTranslation(area)
      const { language } = i18n
      // A new function per language, so that memoised children notice the change.
      return useMemo(() => {
        const fixed = i18n.getFixedT(language, area)
        return (key, values) => fixed(key, values ?? {})
      }, [i18n, language])
    },
    text,
  }
}
