/* The guide speaks the language it is spoken to: Chinese where the person's text has Chinese characters, else English. */

export type DemoLanguage = 'en' | 'zh'

const cjk = /[\u3400-\u9fff\uf900-\ufaff]/

export function languageOf(text: string): DemoLanguage {
  return cjk.test(text) ? 'zh' : 'en'
}

/** Both wordings side by side, so that neither is forgotten. */
export type Say = (en: string, zh: string) => string

export function sayIn(language: DemoLanguage): Say {
  return (en, zh) => (language === 'zh' ? zh : en)
}
