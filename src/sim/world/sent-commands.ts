import type { RequestParser } from 'redis-sim/resp'
import type { ClientSide } from 'virtual-node/network'
import type { CallOrigins, SendingNotes, VirtualProcess } from 'virtual-node/runtime'
import { caller } from 'virtual-node/runtime'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import { clientParser, commandsIn } from './commands-in.ts'

/** Who asked for a command. */
interface Origin {
  /** Null where that is not known. */
  readonly from: SourcePosition | null
  /** Its process had not been given anything to handle. */
  readonly ofStart: boolean
}

/** A command on its way, its words as bytes. */
interface Sent extends Origin {
  readonly words: readonly string[]
}

/**
 * From which line of the layer each command came that Redis executes, and whether an attempt can have sent it. Known clients tell where a command was made
 * (`sending-notes.ts`). Of others, the line is the one in whose stack they write it, where they write it alone: what is
 * written together may be of several callers.
 */
export class SentCommands implements SendingNotes {
  readonly #made = new WeakMap<object, Origin>()
  /** Written in this turn, by clients that tell. */
  #written: Sent[] = []
  #turn = -1
  /** Those that were given anything to handle. */
  readonly #handling = new WeakSet<VirtualProcess>()
  readonly #onWire = new WeakMap<ClientSide, { readonly parser: RequestParser; readonly sent: Sent[] }>()

  constructor(
    readonly origins: CallOrigins,
    /** Which turn of the world it is. */
    private readonly turn: () => number,
  ) {}

  made(command: object): void {
    this.#made.set(command, this.#origin(this.origins.caller()))
  }

  written(command: object): void {
    const origin = this.#made.get(command)
    if (origin !== undefined) this.#inThisTurn().push({ words: wordsOf(command), ...origin })
  }

  /** A client hands these bytes to a connection. */
  sending(connection: ClientSide, bytes: string): void {
    let wire = this.#onWire.get(connection)
    if (wire === undefined) this.#onWire.set(connection, (wire = { parser: clientParser(), sent: [] }))
    const commands = commandsIn(wire.parser, bytes)
    const alone = commands.length === 1
    for (const words of commands)
      wire.sent.push(this.#takeWritten(words) ?? { words, ...this.#origin(alone ? this.origins.caller() : null) })
  }

  /** A server executes it; what was sent before it on that connection and was not executed never will be. */
  executed(connection: ClientSide, words: readonly string[]): Origin | undefined {
    const sent = this.#onWire.get(connection)?.sent ?? []
    const at = sent.findIndex((one) => isSame(one.words, words))
    return at === -1 ? undefined : sent.splice(0, at + 1).at(-1)
  }

  /** The process is given something to handle. */
  handles(process: VirtualProcess): void {
    this.#handling.add(process)
  }

  /** Nothing that it has sent so far is an attempt's. */
  isStarting(process: VirtualProcess): boolean {
    return !this.#handling.has(process)
  }

  #origin(from: SourcePosition | null): Origin {
    const process = caller()
    return { from, ofStart: process !== null && this.isStarting(process) }
  }

  #takeWritten(words: readonly string[]): Sent | undefined {
    const written = this.#inThisTurn()
    const at = written.findIndex((one) => isSame(one.words, words))
    return at === -1 ? undefined : written.splice(at, 1)[0]
  }

  /** What is written leaves in the same turn, or never. */
  #inThisTurn(): Sent[] {
    const turn = this.turn()
    if (turn !== this.#turn) this.#written = []
    this.#turn = turn
    return this.#written
  }
}

type Word = string | number | Buffer

/** Of a list of words, as node-redis has it, or of an object with name and arguments, as ioredis. */
function wordsOf(command: object): string[] {
  const { name, args } = command as { readonly name?: string; readonly args?: readonly Word[] }
  const words: readonly Word[] = Array.isArray(command) ? command : [name ?? '', ...(args ?? [])]
  return words.map((word) => Buffer.from(Buffer.isBuffer(word) ? word : String(word)).toString('latin1'))
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, at) => word === others[at])
