/* What LevelDB dropped without a word (SPEC 2): it opens over records with a bad checksum and says so only in its
   own `LOG` file. A loss is remembered in the database, because the next opening writes a fresh `LOG`, and refuses
   every opening until it was accepted. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { z } from 'zod'
import { lossKey } from './keys.ts'
import { LogError } from './port.ts'

const lossSchema = z.object({ lines: z.array(z.string()), accepted: z.boolean() })

/** Losses are reported while LevelDB recovers, at the head of the file. */
const headBytes = 256 * 1024

/**
 * Call once after each opening. `LOG.old` is read too: a process killed between opening and remembering leaves the
 * loss there. Each line begins with its time, so a line is one loss.
 */
export async function judgeLoss(level: ClassicLevel, directory: string, accept: boolean): Promise<void> {
  const said = [...(await droppingLines(join(directory, 'LOG.old'))), ...(await droppingLines(join(directory, 'LOG')))]
  const stored = parseLoss(await level.get(lossKey))
  const fresh = said.filter((line) => !stored.lines.includes(line))
  if (fresh.length === 0 && stored.accepted) return
  // Lines that both files have forgotten cannot come back, so the record stays as small as their heads.
  const lines = said.length === 0 ? stored.lines : said
  if (fresh.length > 0 || accept) await level.put(lossKey, JSON.stringify({ lines, accepted: accept }), { sync: true })
  if (accept) return
  throw new LogError(
    'dropped',
    `records were dropped when the database opened; run doctor to accept the loss: ${lines.at(-1)}`,
  )
}

function parseLoss(stored: string | undefined): z.infer<typeof lossSchema> {
  if (stored === undefined) return { lines: [], accepted: true }
  try {
    return lossSchema.parse(JSON.parse(stored))
  } catch (error) {
    throw new LogError('corrupt', 'the record of dropped data cannot be read', { key: lossKey, cause: error })
  }
}

async function droppingLines(path: string): Promise<string[]> {
  const text = await readHead(path)
  return text.split('\n').filter((line) => /dropping \d+ bytes|ignoring error/i.test(line))
}

async function readHead(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    // The first opening of a folder has no earlier file.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw new LogError('unavailable', `${path} cannot be read`, { cause: error })
  }
}
