/* The watchdog's own process: `node reaper.js <mark>`. Its input ends when the host is gone, however that came. Then
   everything with the host's mark ends, unless the host said that nothing is left. Next: `watchdog.ts`. */
import { systemClock } from '../clock.ts'
import { endProcesses } from './end-processes.ts'
import { dismissal } from './watchdog.ts'

const mark = process.argv[2] ?? ''
let said = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => (said += String(text)))
process.stdin.on('end', () => {
  if (said !== dismissal) void endProcesses(systemClock, { mark, leader: null })
})
