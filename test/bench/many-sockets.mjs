/* A thousand bare WebSocket connections that only count bytes, so that the server is what is measured. */
import { connect } from 'node:net'
import { once } from 'node:events'

/** Opens `count` sockets; `greet` is a text that each sends when it is open, answered by at least one byte. */
export async function openManySockets(port, { count, path, headers = [], greet = null }) {
  const sockets = []
  let received = 0
  let wanted = Infinity
  let reached = () => {}
  let lost = () => {}
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    const request = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      ...headers,
    ]
    socket.write(`${request.join('\r\n')}\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(`not upgraded: ${String(answer).slice(0, 200)}`)
    if (greet !== null) {
      socket.write(masked(greet))
      await once(socket, 'data')
    }
    socket.on('data', (data) => {
      received += data.length
      if (received >= wanted) reached()
    })
    socket.on('close', () => lost(new Error('a server closed a socket')))
    sockets.push(socket)
  }
  return {
    /** Milliseconds until all sockets together have received `bytes` more. */
    async receive(bytes, begin) {
      received = 0
      wanted = bytes
      const done = new Promise((resolve, reject) => {
        reached = resolve
        lost = reject
      })
      const begun = performance.now()
      begin()
      await done
      return performance.now() - begun
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A client's text frame; masked with zeros, which leaves the text as it is. */
function masked(text) {
  const payload = Buffer.from(text)
  if (payload.length > 65_535) throw new Error('too long for this client')
  const head =
    payload.length < 126 ? [0x81, 0x80 | payload.length] : [0x81, 0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}

/** Bytes of a server's frame with this payload. */
export const frameBytes = (payload) => payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10)
