/* What the host and the thread that runs a model's code say to each other. Both ends parse what they get: the thread
   handles text of a model, and neither trusts the other's memory. */
import { z } from 'zod'

export const sandboxJobSchema = z.object({
  code: z.string(),
  /** Tools that the code may call. */
  names: z.array(z.string()),
  /** Milliseconds the code itself may run, waits for tools left out. */
  cpuMs: z.number(),
  memoryBytes: z.number(),
  maxCalls: z.number(),
  maxOutputLength: z.number(),
})
export type SandboxJob = z.infer<typeof sandboxJobSchema>

/** Said by the thread, or by the host where the thread cannot. */
export const lateMessage = (cpuMs: number) => `The code ran for more than ${cpuMs} ms, waits for tools left out.`

/** From the thread. `idle`: nothing runs until a result comes; `output` is what the code printed. */
export const fromSandboxSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle') }),
  z.object({ type: z.literal('call'), id: z.int(), name: z.string(), arguments: z.string() }),
  z.object({ type: z.literal('returned'), value: z.string().optional(), output: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string(), output: z.string() }),
])
export type FromSandbox = z.infer<typeof fromSandboxSchema>

/** To the thread: the end of one call. */
export const toSandboxSchema = z.object({ id: z.int(), text: z.string(), isError: z.boolean() })
export type ToSandbox = z.infer<typeof toSandboxSchema>
