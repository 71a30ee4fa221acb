/* Processes that a row starts end with it, however it ends. */
const running = new Set()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

export function endsWithUs(child) {
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}
