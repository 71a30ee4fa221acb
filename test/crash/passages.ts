/* What a host passed (`host/log/fault-points.ts`), read from outside, and which of it is worth a death of its own. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultPointNames, passagesFile, planFile, type FaultPoint } from '../../host/log/fault-points.ts'

export interface Passage {
  point: FaultPoint
  /** Two passages of one stretch have nothing but synchronous work between them. */
  stretch: number
}

/** The folder through which one host is followed. */
export class Passages {
  readonly folder: string
  #readTo = 0

  constructor(folder: string) {
    this.folder = folder
    this.#write(passagesFile, '')
    this.#write(planFile, '')
  }

  /** From now on the host dies at the n-th passage of `point` that is about one of these. */
  plan(point: FaultPoint, n: number, subjects: readonly string[]): void {
    this.#write(planFile, `${point}:${n} ${subjects.join(',')}`)
  }

  /** Forgets what was passed and what was planned. */
  clear(): void {
    this.#write(planFile, '')
    this.#readTo = this.#read().length
  }

  /** What was passed since it was asked last. */
  take(subjects: readonly string[]): Passage[] {
    const text = this.#read()
    const lines = text.slice(this.#readTo).split('\n')
    // The last one may be half written.
    this.#readTo = text.length - (lines.pop()?.length ?? 0)
    return lines.flatMap((line) => {
      const [stretch, name, about = ''] = line.split(' ')
      const point = faultPointNames.find((known) => known === name)
      if (point === undefined) throw new Error(`no passage: ${line}`)
      return about.split(',').some((one) => subjects.includes(one)) ? [{ point, stretch: Number(stretch) }] : []
    })
  }

  #read(): string {
    return readFileSync(join(this.folder, passagesFile), 'utf8')
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }
}

/**
 * Indices of the passages of one move that are deaths of their own. Disk and sockets change only where something is
 * written or published, so the way from one of these to the next is one place, died at once: behind a write it is the
 * first passage of that way, else the last one, where whatever was published has left the process. Frames that are
 * published in one stretch leave together, so between those there is no place.
 */
export function worthDying(passages: readonly Passage[]): number[] {
  return passages.flatMap(({ point, stretch }, index) => {
    const [before, after] = [passages[index - 1], passages[index + 1]]
    switch (point) {
      case 'before-batch':
        // The batch of an append lies within its write.
        return before?.point === 'before-write' || before?.point === 'after-batch' ? [] : [index]
      case 'after-batch':
        return after?.point === 'after-write' ? [] : [index]
      case 'before-write':
        return before?.point === 'after-write' || before?.point === 'after-batch' ? [] : [index]
      case 'after-write':
        return [index]
      case 'before-publish': {
        const isWithin = before?.point === 'after-publish' && before.stretch === stretch
        return isWithin || before?.point === 'after-write' || before?.point === 'after-batch' ? [] : [index]
      }
      case 'after-publish':
        return after === undefined ? [index] : []
    }
  })
}
