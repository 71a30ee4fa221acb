/* Thousands who only sit there (SPEC 8): 2,000 sockets of pages that are open somewhere, as many connections that never say
   a word, and sockets whose page is gone without a goodbye. Whoever does something is served as if they were not there. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { BareSocket } from './bare-socket.ts'

const crowd = 2_000
const silent = 200
/** The host gives a socket up after a minute without a word; its pings come earlier. */
const minuteMs = 60_000
const lookEveryMs = 1_000

/** Kilobytes of the host in memory. */
function residentKiB({ ready }: HostProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${ready.pid}/status`, 'latin1'))?.[1])
}

/** A socket of a page that is gone: nothing is read any more, so no ping is answered. */
async function goneSocket({ ready: { port, token } }: HostProcess, onClose: () => void): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
  const head = [`host: 127.0.0.1:${port}`, `authorization: Bearer ${token}`, 'upgrade: websocket', key]
  socket.write(`GET /ws HTTP/1.1\r\n${head.join('\r\n')}\r\nsec-websocket-version: 13\r\n\r\n`)
  await new Promise<void>((resolve) => socket.once('data', () => resolve()))
  // Read, so that the end is seen, and answered with nothing.
  socket.on('close', onClose).resume()
}

it('idle: 2,000 sockets cost little memory, stay open, and keep nobody waiting; who is gone is let go', async () => {
  const folder = new HostFolder()
  const host = await folder.start()
  const person = await Client.connect(host.ready, new Changes(minuteMs))
  const { session } = await person.call('session.create', {})
  const before = residentKiB(host)

  let lost = 0
  const receiver = { text: () => {}, broken: () => void (lost += 1) }
  const sockets: BareSocket[] = []
  for (let opened = 0; opened < crowd; opened += 50) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => BareSocket.open(host.ready, receiver)))))
  }
  let unsaid = crowd
  for (let opened = 0; opened < crowd; opened += 1) {
    connect(host.ready.port, '127.0.0.1')
      .on('error', () => {})
      .on('close', () => (unsaid -= 1))
      .resume()
  }
  let gone = silent
  await Promise.all(Array.from({ length: silent }, () => goneSocket(host, () => (gone -= 1))))
  const perSocketKiB = (residentKiB(host) - before) / (2 * crowd + silent)

  const waits: number[] = []
  const until = performance.now() + 1.5 * minuteMs
  while (performance.now() < until) {
    const begun = performance.now()
    await person.call('session.rename', { sessionId: session.id, title: `at ${Math.round(begun)}` })
    waits.push(performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  const sorted = waits.toSorted((a, b) => a - b)
  const told = sockets.reduce((sum, { hostFrames }) => sum + hostFrames, 0)
  process.stdout.write(
    `${crowd} idle sockets, ${crowd} silent connections, ${silent} gone: ${perSocketKiB.toFixed(1)} KiB each, ` +
      `${waits.length} renames told to all in ${(sorted[sorted.length >> 1] ?? 0).toFixed(1)} ms (p50), ` +
      `${(sorted.at(-1) ?? 0).toFixed(1)} ms (most), ${told} frames\n`,
  )

  expect(lost).toBe(0)
  expect([unsaid, gone]).toEqual([0, 0])
  expect(perSocketKiB).toBeLessThan(16)
  // Each of the crowd was told of itself by `host/hello`, and of every rename.
  expect(told).toBe(crowd * (waits.length + 1))
  expect(sorted[sorted.length >> 1]).toBeLessThan(250)
  for (const socket of sockets) socket.close()
  person.drop()
  await folder.remove()
})
