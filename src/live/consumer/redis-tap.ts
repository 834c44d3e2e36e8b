/**
 * Watches the sockets that lead to Redis, in the consumer's own process and under whatever client the layer uses: the
 * proxy sees bytes only, and a crash "before it sends GET" must hit that GET. Where the harness asked for it, a command
 * waits before its bytes leave, and a reply before the client gets it; nothing else is changed.
 * `_writeGeneric` is Node's own method under `write`, `end` and corked writes (the same in Node 20, 22 and 24).
 */
import net from 'node:net'
import type { CreateOrder } from '../protocol.ts'
import { passGate, tell } from './gates.ts'
import { HeldSocket } from './held-socket.ts'
import { keysOutside } from './key-prefix.ts'
import { CommandReader, ReplyReader, type SentCommand } from './resp.ts'
import {
  namedBy,
  nextConnection,
  noteCommand,
  noteLeaving,
  type Sent,
  type WatchedSocket,
  type WriteDone,
  writtenBytes,
} from './sent-command.ts'

export type Watch = Pick<
  CreateOrder,
  'redisPorts' | 'portsTold' | 'sentinelPorts' | 'watchCommands' | 'keyPrefix' | 'holds'
>

/** Sockets that connect to those ports from now on are watched. */
export function watchRedis(watch: Watch): void {
  const connect = net.Socket.prototype.connect
  const own = new Map(watch.portsTold)
  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]): net.Socket {
    const told = portOf(given)
    const port = own.get(told) ?? told
    const args = port === told ? given : withPort(given, port)
    const asks = watch.holds && watch.sentinelPorts.includes(port)
    if (!asks && !watch.redisPorts.includes(port)) return Reflect.apply(connect, this, args)
    if (!watch.holds) {
      new Tap(this as WatchedSocket, port, watch)
      return Reflect.apply(connect, this, args)
    }
    new HeldSocket(this as WatchedSocket, port, asks, own.size > 0)
    // Until it is under way: what is written meanwhile waits.
    Object.assign(this, { connecting: true })
    void passGate({ at: 'connecting', port })
      .then(() => void (this.destroyed || Reflect.apply(connect, this, args)))
      .catch((error: Error) => this.destroy(error))
    return this
  } as typeof connect
}

/** Arguments are an options object, or an array of it and a callback (as `net.connect` passes them), or a port. */
function portOf(args: unknown[]): number {
  const [first] = (Array.isArray(args[0]) ? args[0] : args) as [unknown]
  return Number(typeof first === 'object' && first !== null ? (first as { port?: unknown }).port : first)
}

/** The same by another port: a server is reached by a link of this process's own. */
function withPort(args: unknown[], port: number): unknown[] {
  const [first, ...rest] = args
  // `net.connect` marks the array.
  if (Array.isArray(first)) return [Object.assign(withPort(first, port), ownSymbols(first)), ...rest]
  return [typeof first === 'object' && first !== null ? { ...first, port } : port, ...rest]
}

const ownSymbols = (of: object): object =>
  Object.fromEntries(Object.getOwnPropertySymbols(of).map((one) => [one, (of as Record<symbol, unknown>)[one]]))

class Tap {
  readonly #reader = new CommandReader()
  readonly #replies = new ReplyReader()
  readonly #unanswered: Sent[] = []
  /** Replies are handed on in their order. */
  #arrivals: Promise<void> = Promise.resolve()
  readonly #connection = nextConnection()

  constructor(
    private readonly socket: WatchedSocket,
    private readonly port: number,
    private readonly watch: Watch,
  ) {
    const write = socket._writeGeneric.bind(socket)
    socket._writeGeneric = (many, data, encoding, done) => {
      // Before the connection stands, Node calls this again once it does.
      if (socket.connecting) return write(many, data, encoding, done)
      void this.#leave(
        writtenBytes(many, data, encoding),
        (part, then) => write(false, part, 'buffer' as BufferEncoding, then),
        done,
      )
    }
    const push = socket.push.bind(socket)
    socket.push = (data: Buffer | null, encoding?: BufferEncoding) => {
      if (!this.watch.watchCommands) {
        if (data !== null) this.#answered(data)
        return push(data, encoding)
      }
      this.#arrivals = this.#arrivals.then(() => this.#arrive(data)).then((on) => void (on && push(data, encoding)))
      return true
    }
    const connection = this.#connection
    socket.once('connect', () => tell({ type: 'redis-open', connection }))
    socket.once('close', () => tell({ type: 'redis-closed', connection }))
  }

  async #leave(bytes: Buffer, write: (part: Buffer, then: WriteDone) => void, done: WriteDone): Promise<void> {
    const sent = this.#reader.take(bytes)
    if (sent.some(({ args }) => this.#isOutside(args))) return
    if (!this.watch.watchCommands) {
      for (const { args } of sent) this.#leaves(this.#note(args))
      return write(bytes, done)
    }
    let from = 0
    for (const [at, { args, end }] of sent.entries()) {
      const noted = this.#note(args)
      const { label, command } = noted
      if (label !== null) {
        const connection = this.#connection
        const first = at === 0
        if (
          (
            await passGate({
              at: 'command-unsent',
              command,
              label,
              connection,
              port: this.port,
              first,
              ...namedBy(args),
            })
          ).drop
        )
          return
        if (this.socket.destroyed) return done(new Error('the socket is closed'))
      }
      this.#leaves(noted)
      const last = end === bytes.length
      await new Promise<void>((resolve) =>
        write(bytes.subarray(Math.max(from, 0), end), (error) => {
          if (last || error) done(error)
          resolve()
        }),
      )
      from = end
    }
    if (from < bytes.length) write(bytes.subarray(from), done)
  }

  #isOutside(args: SentCommand['args']): boolean {
    const { keyPrefix } = this.watch
    if (keyPrefix === null || !keysOutside(args, keyPrefix)) return false
    tell({ type: 'outside-prefix', command: args.slice(0, 2).join(' ') })
    return true
  }

  #note(args: readonly string[]): Sent {
    const sent = noteCommand(args)
    this.#unanswered.push(sent)
    return sent
  }

  #leaves(sent: Sent): void {
    noteLeaving(sent, this.port, this.#connection)
  }

  async #arrive(data: Buffer | null): Promise<boolean> {
    if (data === null) return true
    for (const { label, command } of this.#answered(data)) {
      if (label !== null && (await passGate({ at: 'reply-received', command, label })).drop) return false
    }
    return true
  }

  #answered(data: Buffer): Sent[] {
    return this.#replies.take(data).flatMap((reply) => {
      const sent = this.#unanswered.shift()
      if (sent === undefined) return []
      sent.answered?.()
      if (sent.label !== null) tell({ type: 'command', command: sent.text, reply })
      return [sent]
    })
  }
}
