/* fast-check with one seed, so that a run of the ordinary suites tries the same cases everywhere and a red one can be
   run again. `npm run test:fuzz` is what looks further. `TASK_SURFACE_TEST_SEED`: another seed, a whole number. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['TASK_SURFACE_TEST_SEED'] ?? 2026) })

export { default as fc } from 'fast-check'
