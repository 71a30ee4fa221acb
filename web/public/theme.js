// Runs before the modules of the page and before its first paint.
// zod compiles its parsers where it may; the page's policy forbids that, and even the attempt is reported. Said here,
// because which module makes the first schema hangs on how the page is split into parts.
globalThis.__zod_globalConfig = { jitless: true }
// A chosen theme never flashes the other one. Keeps to `web/preferences.ts`.
try {
  const { theme } = JSON.parse(localStorage.getItem('task-surface:preferences') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system's theme.
}
