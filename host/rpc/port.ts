/* The seam between requests and sockets. The JSON-RPC engine (`engine.ts`) calls handlers and knows a
   `Peer`; handlers know neither uWebSockets.js nor HTTP. One handler per method, for socket and POST alike. */
import type { RpcId } from '../../shared/ids.ts'
import type { MethodName, Params, Result } from '../../shared/protocol/methods.ts'

/** One client on a socket. Calls after it has gone do nothing. */
export interface Peer {
  readonly id: string
  /** Sends one text. Past the backpressure bound the socket is closed, never a text dropped in the middle. */
  send(text: string): void
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  isSubscribed(topic: string): boolean
}

export interface Call {
  /** The JSON-RPC id of the request, as text. */
  rpcId: RpcId
  /** Null over `POST /rpc`. */
  peer: Peer | null
}

/**
 * An answer that must be given in one tick with its side effects: the engine calls `answer`, sends the
 * result and then the frames without an await in between. `session.open` subscribes inside it.
 */
export class AtOnce<Value> {
  readonly answer: () => { result: Value; frames: readonly string[] }

  constructor(answer: () => { result: Value; frames: readonly string[] }) {
    this.answer = answer
  }
}

export type Handler<Name extends MethodName> = (
  params: Params<Name>,
  call: Call,
) => Promise<Result<Name> | AtOnce<Result<Name>>> | Result<Name> | AtOnce<Result<Name>>

/**
 * Expected failures are thrown as `RpcError`; anything else is answered as −32603 and logged. A method without a
 * handler in this composition is answered as −32601.
 */
export type Handlers = { readonly [Name in MethodName]?: Handler<Name> }

/** One serialised text to every subscriber of a topic, in order. */
export interface Fanout {
  publish(topic: string, text: string): void
  /** Sockets that a text to this topic reaches. */
  subscribers(topic: string): number
}

/** The topic that every socket is subscribed to from its start: the `host/*` frames. */
export const hostTopic = 'host'
