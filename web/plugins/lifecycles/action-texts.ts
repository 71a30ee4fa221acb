/* The one word of the lifecycles view that the first screen needs. */
import { defineTexts } from '../../i18n/i18n.ts'

export const actionTexts = defineTexts('lifecycles-action', {
  en: { title: 'Lifecycles' },
  zh: { title: '生命周期' },
})
