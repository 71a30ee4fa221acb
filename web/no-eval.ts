/* zod compiles its parsers with `new Function` where it may. The page's policy forbids that, and even the attempt is
   reported, so it is told beforehand. Imported before anything that makes a schema. */
import { z } from 'zod'

z.config({ jitless: true })
