import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestParser } from 'redis-sim/resp'
import type { ClientSide } from 'virtual-node/network'
import type { CallOrigins, SendingNotes, VirtualProcess } from 'virtual-node/runtime'
import { caller, listenToSending } from 'virtual-node/runtime'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import { clientParser, commandsIn } from './commands-in.ts'
import type { Unanswered } from './request.ts'

/** What is known of the code that asked for a command. */
interface Origin {
  /** Null if that is not known. */
  readonly from: SourcePosition | null
  /** Its process had not been given anything to handle. */
  readonly ofStart: boolean
  /** The delivery whose handling made the command; null if that is not known. */
  readonly delivery: number | null
  /** Absent if the client does not tell when it was made. */
  readonly asked?: Asked
}

/** A command that a client has made. */
interface Asked {
  readonly command: object
  readonly atUs: number
  /** Its reply has come. */
  isHeard: boolean
}

/** A command on its way, its words as bytes. */
interface Sent extends Origin {
  readonly words: readonly string[]
}

/** Commands that a process has written in two turns: node-redis 4 sends them in the next. */
interface Written {
  readonly turn: number
  readonly now: Sent[]
  readonly before: Sent[]
}

/**
 * From which line of the layer each command came that Redis executes, and for which delivery. Known
 * clients tell when a command was made (`sending-notes.ts`). For other clients, the line is in the
 * stack of the write, if that has one command: commands of one write may have several callers. They
 * do not tell the delivery.
 */
export class SentCommands implements SendingNotes {
  readonly #made = new WeakMap<object, Origin>()
  /** By clients that tell. */
  readonly #written = new WeakMap<VirtualProcess, Written>()
  /** Those that were given anything to handle. */
  readonly #handling = new WeakSet<VirtualProcess>()
  /** By the id of a request to the sink, the delivery in whose handling it was made. */
  readonly requests = new Map<number, number>()
  /** By the same: what that delivery had asked last, if it had no reply when it called the sink. */
  readonly unanswered = new Map<number, Unanswered>()
  /** By delivery, what it has asked last. */
  readonly #asked = new Map<number, Asked>()
  /** Executed commands whose replies have not come, in order; null for one that is not known. */
  readonly #onWayBack = new WeakMap<ClientSide, (Asked | null)[]>()
  /**
   * Handed on as the stores of layers are: to each promise, tick and timer of a handling, and to
   * the process's own server (`connects`).
   */
  readonly #delivery = new AsyncLocalStorage<number>()
  /** Deliveries that are being handled. */
  readonly #open = new Set<number>()
  readonly #onWire = new WeakMap<ClientSide, { readonly parser: RequestParser; readonly sent: Sent[] }>()

  constructor(
    /** Null where lines are not asked for: each promise then costs a look at the stack. */
    private readonly origins: CallOrigins | null,
    /** Which turn of the world it is, and its time. */
    private readonly kernel: { readonly turns: number; readonly nowUs: number },
  ) {}

  follow(): void {
    listenToSending(this)
    this.origins?.follow()
  }

  /** Lines of later promises are not known. */
  unfollowLines(): void {
    this.origins?.unfollow()
  }

  unfollow(): void {
    listenToSending(null)
    this.unfollowLines()
    this.#delivery.disable()
  }

  /** The line that calls; null if it is not known. */
  caller(): SourcePosition | null {
    return this.origins?.caller() ?? null
  }

  /** The delivery whose handling runs now; null if that is over, or not known. */
  get delivery(): number | null {
    const delivery = this.#delivery.getStore()
    return delivery !== undefined && this.#open.has(delivery) ? delivery : null
  }

  /** The sink is called, with that request. */
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

  /** A server of the process itself is at work for the delivery that its client is at work for. */
  connects(): (<T>(accept: () => T) => T) | null {
    const { delivery } = this
    return delivery === null ? null : (accept) => this.#delivery.run(delivery, accept)
  }

  /** A client hands these bytes to a connection. */
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
   * A server executes it. Earlier commands of that connection without an execution never will
   * have one.
   */
  executed(connection: ClientSide, words: readonly string[]): Origin | undefined {
    const sent = this.#onWire.get(connection)?.sent ?? []
    const at = sent.findIndex((one) => isSame(one.words, words))
    return at === -1 ? undefined : sent.splice(0, at + 1).at(-1)
  }

  /** The reply to it is on its way. */
  replies(connection: ClientSide, asked: Asked | undefined): void {
    const onWay = this.#onWayBack.get(connection) ?? []
    this.#onWayBack.set(connection, onWay)
    onWay.push(asked ?? null)
  }

  /** The reply to the first of them has come. */
  hears(connection: ClientSide): void {
    const asked = this.#onWayBack.get(connection)?.shift() ?? null
    if (asked !== null) asked.isHeard = true
  }

  /** The process is given a delivery, which `handle` handles. */
  handles<T>(process: VirtualProcess, delivery: number, handle: () => T): T {
    this.#handling.add(process)
    this.#open.add(delivery)
    return this.#delivery.run(delivery, handle)
  }

  answered(delivery: number): void {
    this.#open.delete(delivery)
  }

  /** Nothing that it has sent so far is an attempt's. */
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
 * Of a list of words, as node-redis has it, or of an object with name and arguments, as ioredis.
 */
function wordsOf(command: object): string[] {
  const { name, args } = command as { readonly name?: string; readonly args?: readonly Word[] }
  const words: readonly Word[] = Array.isArray(command) ? command : [name ?? '', ...(args ?? [])]
  return words.map((word) => Buffer.from(Buffer.isBuffer(word) ? word : String(word)).toString('latin1'))
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, at) => word === others[at])
