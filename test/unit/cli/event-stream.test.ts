/* Events as they come over the wire, cut anywhere. */
import { fc } from '../../harness/property.ts'
import { expect, it } from 'vitest'
import { eventData } from '../../../host/cli/event-stream.ts'

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

async function read(chunks: readonly string[]): Promise<string[]> {
  const bytes = chunks.map((chunk) => Buffer.from(chunk))
  const events: string[] = []
  for await (const data of eventData(streamOf(bytes))) events.push(data)
  return events
}

it('event-stream: data alone counts; comments, names, ids and what is not ended do not', async () => {
  const text = ':\n\nevent: message\nid: 1\ndata: {"a":1}\n\ndata:two\ndata: lines\n\n\n: alive\n\ndata: unfinished\n'
  expect(await read([text])).toEqual(['{"a":1}', 'two\nlines'])
})

it('event-stream: wherever it is cut and however its lines end, the events are the same', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' '))
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'), cuts, async (lines, end, at) => {
      const bytes = Buffer.from(lines.map((text) => `data: ${text}${end}${end}`).join(''))
      const places = [0, ...at.filter((place) => place < bytes.length).toSorted((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
      const events: string[] = []
      for await (const data of eventData(streamOf(chunks))) events.push(data)
      expect(events).toEqual(lines)
    }),
  )
})
