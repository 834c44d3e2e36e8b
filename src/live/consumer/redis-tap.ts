/**
 * Watches a socket to Redis inside the consumer's process, below any client library. A proxy sees
 * only bytes, but a crash "before it sends GET" must hit that GET. At the harness's request, a
 * command waits before its bytes are sent, and a reply waits before the client gets it. Nothing
 * else is changed. `_writeGeneric` is Node's internal method below `write`, `end` and corked writes
 * (the same in Node 20, 22 and 24).
 */
import type { CreateOrder } from '../host/protocol.ts'
import { passGate, report } from './gates.ts'
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

export class RedisTap {
  readonly #reader = new CommandReader()
  readonly #replies = new ReplyReader()
  readonly #unanswered: Sent[] = []
  /** A promise that keeps the order of replies. */
  #arrivals: Promise<void> = Promise.resolve()
  readonly #connection = nextConnection()

  constructor(
    private readonly socket: WatchedSocket,
    private readonly port: number,
    private readonly watch: Pick<CreateOrder, 'watchCommands' | 'keyPrefix'>,
  ) {
    const write = socket._writeGeneric.bind(socket)
    socket._writeGeneric = (many, data, encoding, done) => {
      // If the socket is still connecting, Node calls this method again once the socket is
      // connected.
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
    socket.once('connect', () => report({ type: 'connection-open', connection }))
    socket.once('close', () => report({ type: 'connection-closed', connection }))
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
    report({ type: 'outside-prefix', command: args.slice(0, 2).join(' ') })
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
      if (sent.label !== null) report({ type: 'command', command: sent.text, reply })
      return [sent]
    })
  }
}
