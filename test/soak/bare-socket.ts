/* A client's WebSocket that costs next to nothing, so that a thousand of them leave the cores to the host: text frames
   over a plain connection, pings answered, frames about other sessions counted and not read. It knows no session. */
import { connect, type Socket } from 'node:net'
import type { Address } from '../harness/client.ts'

/** What the lists of sessions are told; every socket of the host gets these. */
const ofHost = Buffer.from('{"type":"host/')
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const

export interface Receiver {
  /** A text that is no frame about the host. */
  text(text: string): void
  /** The host closed the socket, or sent what this client does not know. */
  broken(cause: Error): void
}

export class BareSocket {
  /** Frames about the host and its list of sessions, passed over. */
  hostFrames = 0
  readonly #socket: Socket
  readonly #receiver: Receiver
  #rest: Buffer = Buffer.alloc(0)
  #closing = false

  private constructor(socket: Socket, receiver: Receiver) {
    this.#socket = socket
    this.#receiver = receiver
  }

  static async open({ port, token }: Address, receiver: Receiver): Promise<BareSocket> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    const request = [
      'GET /ws HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]
    socket.write(`${request.join('\r\n')}\r\n\r\n`)
    const bare = new BareSocket(socket, receiver)
    await bare.#upgraded()
    return bare
  }

  send(text: string): void {
    this.#write(opcodes.text, Buffer.from(text))
  }

  close(): void {
    this.#closing = true
    this.#socket.destroy()
  }

  #upgraded(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject)
      this.#socket.once('data', (head) => {
        const text = head.toString('latin1')
        if (!text.startsWith('HTTP/1.1 101')) return reject(new Error(`not upgraded: ${text.slice(0, 200)}`))
        this.#socket.off('error', reject)
        this.#socket.on('error', (cause) => this.#lost(cause))
        this.#socket.on('close', () => this.#lost(new Error('the host closed a socket')))
        this.#socket.on('data', (chunk) => this.#take(chunk))
        resolve()
        this.#take(head.subarray(text.indexOf('\r\n\r\n') + 4))
      })
    })
  }

  #lost(cause: Error): void {
    if (!this.#closing) this.#receiver.broken(cause)
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const frame = wholeFrame(bytes)
      if (frame === null) break
      bytes = bytes.subarray(frame.end)
      this.#frame(frame)
    }
    this.#rest = bytes
  }

  #frame({ opcode, payload }: Frame): void {
    if (opcode === opcodes.text) {
      if (payload.subarray(0, ofHost.length).equals(ofHost)) this.hostFrames += 1
      else this.#receiver.text(payload.toString('utf8'))
    } else if (opcode === opcodes.ping) this.#write(opcodes.pong, payload)
    else if (opcode === opcodes.close) this.#lost(new Error(`the host closes a socket: ${payload.subarray(2)}`))
    else this.#lost(new Error(`a frame of kind ${opcode}`))
  }

  /** Masked with zeros, which leaves the payload as it is. */
  #write(opcode: number, payload: Buffer): void {
    if (payload.length > 65_535) throw new Error('too long for this client')
    const length =
      payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload]))
  }
}

interface Frame {
  opcode: number
  payload: Buffer
  end: number
}

/** The first frame of `bytes`; null where it is not there in full. A server's frames are not masked. */
function wholeFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null
  const short = bytes.readUInt8(1) & 127
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = head + length
  if (bytes.length < end) return null
  return { opcode: bytes.readUInt8(0) & 15, payload: bytes.subarray(head, end), end }
}
