/* Whether work grows with its input as a line does. Measured as processor time of this process, the least of some tries, at
   one size and at eight times that: a line takes 8 times as long, a square 64 times. The bound lies between. */

const factor = 8
const mostTimes = 32
const tries = 3
/** Below this a try is noise. */
const leastMs = 4

export interface Growth {
  size: number
  times: number
}

/** `make` builds an input of about this size outside of what is measured. Throws where `work` grows faster than a line. */
export function growsLikeALine<Input>(
  name: string,
  {
    make,
    work,
    from,
    most,
  }: { make: (size: number) => Input; work: (input: Input) => unknown; from: number; most: number },
): Growth {
  let size = from
  while (size * factor * 2 <= most && least(make(size), work) < leastMs) size *= 2
  const small = Math.max(least(make(size), work), leastMs / 4)
  const large = least(make(size * factor), work)
  const times = large / small
  // Too short to say anything about.
  if (times > mostTimes && large > leastMs * 10) {
    throw new Error(
      `${name}: ${factor} times the size took ${times.toFixed(1)} times as long (${large.toFixed(0)} ms at ${size * factor})`,
    )
  }
  return { size: size * factor, times }
}

function least<Input>(input: Input, work: (input: Input) => unknown): number {
  return Math.min(
    ...Array.from({ length: tries }, () => {
      const before = process.cpuUsage()
      work(input)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }),
  )
}
