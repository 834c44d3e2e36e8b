import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestParser } from 'redis-sim/resp'
import type { ClientSide } from 'virtual-node/network'
import type { CallOrigins, SendingNotes, VirtualProcess } from 'virtual-node/runtime'
import { caller, listenToSending } from 'virtual-node/runtime'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import { clientParser, commandsIn } from './commands-in.ts'
import type { Unanswered } from './request.ts'

/** The origin of a command in the layer's code. */
interface Origin {
  /** Null if unknown. */
  readonly from: SourcePosition | null
  /** True if its process had not received a delivery yet. */
  readonly ofStart: boolean
  /** The delivery whose handler made the command; null if unknown. */
  readonly delivery: number | null
  /** Absent if the client does not report when it makes a command. */
  readonly asked?: Asked
}

/** A command that a client has made. */
interface Asked {
  readonly command: object
  readonly atUs: number
  /** True once its reply has arrived. */
  isHeard: boolean
}

/** A command in flight, its words as bytes. */
interface Sent extends Origin {
  readonly words: readonly string[]
}

/**
 * Commands that a process has written in this turn and the one before, because node-redis 4 sends
 * commands in the next turn.
 */
interface Written {
  readonly turn: number
  readonly now: Sent[]
  readonly before: Sent[]
}

/**
 * Finds the source line of the layer for each command that Redis executes, and the delivery for
 * which it was sent. Known clients report when they make a command (`sending-notes.ts`). For other
 * clients, the delivery is unknown. Their line is taken from the stack of the write, if the write
 * contains only one command, because several commands may have several callers.
 */
export class SentCommands implements SendingNotes {
  readonly #made = new WeakMap<object, Origin>()
  /** Commands of clients that report when they make a command. */
  readonly #written = new WeakMap<VirtualProcess, Written>()
  /** Processes that have received a delivery. */
  readonly #handling = new WeakSet<VirtualProcess>()
  /** By the id of a request to the sink: the delivery whose handler made the request. */
  readonly requests = new Map<number, number>()
  /**
   * By request id: the last command of the request's delivery, if the command had no reply when the
   * sink was called.
   */
  readonly unanswered = new Map<number, Unanswered>()
  /** By delivery: its last command. */
  readonly #asked = new Map<number, Asked>()
  /** Executed commands whose replies have not arrived, in order; null for an unknown command. */
  readonly #onWayBack = new WeakMap<ClientSide, (Asked | null)[]>()
  /**
   * The current delivery. It is propagated to each promise, tick and timer of a handler, and to a
   * server in the process itself (`connects`).
   */
  readonly #delivery = new AsyncLocalStorage<number>()
  /** Deliveries that are being handled. */
  readonly #open = new Set<number>()
  readonly #onWire = new WeakMap<ClientSide, { readonly parser: RequestParser; readonly sent: Sent[] }>()

  constructor(
    /** Null if source lines are not requested, because each promise would cost a stack trace. */
    private readonly origins: CallOrigins | null,
    /** The current turn of the world, and its time. */
    private readonly kernel: { readonly turns: number; readonly nowUs: number },
  ) {}

  follow(): void {
    listenToSending(this)
    this.origins?.follow()
  }

  /** Stops finding lines for later promises. */
  unfollowLines(): void {
    this.origins?.unfollow()
  }

  unfollow(): void {
    listenToSending(null)
    this.unfollowLines()
    this.#delivery.disable()
  }

  /** The calling line; null if unknown. */
  caller(): SourcePosition | null {
    return this.origins?.caller() ?? null
  }

  /**
   * The delivery whose handler runs now; null if the handler has ended, or if the delivery is
   * unknown.
   */
  get delivery(): number | null {
    const delivery = this.#delivery.getStore()
    return delivery !== undefined && this.#open.has(delivery) ? delivery : null
  }

  /** The layer calls the sink with the request. */
  requested(requestId: number): void {
    const { delivery } = this
    if (delivery === null) return
    this.requests.set(requestId, delivery)
    const asked = this.#asked.get(delivery)
    if (asked === undefined || asked.isHeard) return
    this.unanswered.set(requestId, { args: wordsOf(asked.command), forUs: this.kernel.nowUs - asked.atUs })
  }

  made(command: object): void {
    const asked = { command, atUs: this.kernel.nowUs, isHeard: false }
    const origin = { ...this.#origin(this.caller(), this.delivery), asked }
    this.#made.set(command, origin)
    if (origin.delivery !== null) this.#asked.set(origin.delivery, asked)
  }

  written(command: object): void {
    const origin = this.#made.get(command)
    const process = caller()
    if (origin === undefined || process === null) return
    const turn = this.kernel.turns
    const before = this.#written.get(process)
    const written = before?.turn === turn ? before : { turn, now: [], before: before?.now ?? [] }
    this.#written.set(process, written)
    written.now.push({ words: wordsOf(command), ...origin })
  }

  /** A server in the process itself works for the same delivery as its client. */
  connects(): (<T>(accept: () => T) => T) | null {
    const { delivery } = this
    return delivery === null ? null : (accept) => this.#delivery.run(delivery, accept)
  }

  /** A client writes these bytes to a connection. */
  sending(connection: ClientSide, bytes: string): void {
    let wire = this.#onWire.get(connection)
    if (wire === undefined) this.#onWire.set(connection, (wire = { parser: clientParser(), sent: [] }))
    const commands = commandsIn(wire.parser, bytes)
    const alone = commands.length === 1
    for (const words of commands)
      wire.sent.push(
        this.#takeWritten(connection.process, words) ?? { words, ...this.#origin(alone ? this.caller() : null, null) },
      )
  }

  /**
   * A server executes the command. Earlier commands of the connection that were not executed by now
   * will never be executed.
   */
  executed(connection: ClientSide, words: readonly string[]): Origin | undefined {
    const sent = this.#onWire.get(connection)?.sent ?? []
    const at = sent.findIndex((one) => isSame(one.words, words))
    return at === -1 ? undefined : sent.splice(0, at + 1).at(-1)
  }

  /** The reply is in flight. */
  replies(connection: ClientSide, asked: Asked | undefined): void {
    const onWay = this.#onWayBack.get(connection) ?? []
    this.#onWayBack.set(connection, onWay)
    onWay.push(asked ?? null)
  }

  /** The first of the replies in flight has arrived. */
  hears(connection: ClientSide): void {
    const asked = this.#onWayBack.get(connection)?.shift() ?? null
    if (asked !== null) asked.isHeard = true
  }

  /** The process receives a delivery, which `handle` handles. */
  handles<T>(process: VirtualProcess, delivery: number, handle: () => T): T {
    this.#handling.add(process)
    this.#open.add(delivery)
    return this.#delivery.run(delivery, handle)
  }

  answered(delivery: number): void {
    this.#open.delete(delivery)
  }

  /** True if none of its commands so far belongs to an attempt. */
  isStarting(process: VirtualProcess): boolean {
    return !this.#handling.has(process)
  }

  #origin(from: SourcePosition | null, delivery: number | null): Origin {
    const process = caller()
    return { from, ofStart: process !== null && this.isStarting(process), delivery }
  }

  #takeWritten(process: VirtualProcess | null, words: readonly string[]): Sent | undefined {
    const written = process === null ? undefined : this.#written.get(process)
    for (const some of written === undefined ? [] : [written.now, written.before]) {
      const at = some.findIndex((one) => isSame(one.words, words))
      if (at !== -1) return some.splice(at, 1)[0]
    }
    return undefined
  }
}

type Word = string | number | Buffer

/**
 * The words of a command, which is a list in node-redis, and an object with name and arguments in
 * ioredis.
 */
function wordsOf(command: object): string[] {
  const { name, args } = command as { readonly name?: string; readonly args?: readonly Word[] }
  const words: readonly Word[] = Array.isArray(command) ? command : [name ?? '', ...(args ?? [])]
  return words.map((word) => Buffer.from(Buffer.isBuffer(word) ? word : String(word)).toString('latin1'))
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, at) => word === others[at])
