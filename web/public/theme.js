// Runs before the first paint, so that a chosen theme never flashes the other one. Keeps to `web/preferences.ts`.
try {
  const { theme } = JSON.parse(localStorage.getItem('task-surface:preferences') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system's theme.
}
