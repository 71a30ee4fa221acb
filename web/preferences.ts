/* What a person chose for this browser: theme, language, defaults of new sessions. Kept in browser storage,
   the same in every tab, never sent anywhere. `public/theme.js` reads the theme before the first paint. */
import { z } from 'zod'
import { type Language, setLanguage } from './i18n/i18n.ts'
import type { Storage } from './storage.ts'
import { createStore, type ReadableStore } from './store.ts'

const preferencesSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  language: z.enum(['en', 'zh']).nullable().catch(null),
  agent: z.string().nullable().catch(null),
  approval: z.enum(['ask', 'auto']).catch('ask'),
})
type Stored = z.infer<typeof preferencesSchema>

export interface PreferencesState extends Stored {
  language: Language
}

export interface Preferences extends ReadableStore<PreferencesState> {
  set(change: Partial<PreferencesState>): void
}

const key = 'preferences'

export function createPreferences(storage: Storage, browserLanguages: readonly string[]): Preferences {
  const guessed: Language = browserLanguages[0]?.toLowerCase().startsWith('zh') === true ? 'zh' : 'en'
  let stored = read()
  const state = createStore(complete())

  function read(): Stored {
    return storage.read(key, preferencesSchema) ?? { theme: 'system', language: null, agent: null, approval: 'ask' }
  }
  function complete(): PreferencesState {
    return { ...stored, language: stored.language ?? guessed }
  }
  function apply(): void {
    const { theme, language } = complete()
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
    setLanguage(language)
    state.setState(complete())
  }

  storage.onChange(key, () => {
    stored = read()
    apply()
  })
  apply()
  return {
    ...state,
    set(change) {
      stored = { ...stored, ...change }
      storage.write(key, stored)
      apply()
    },
  }
}
