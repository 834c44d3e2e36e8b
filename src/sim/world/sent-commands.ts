import type { SourcePosition } from '../../contract/source-position.ts'
import type { ClientSide } from '../network/client-side.ts'
import type { RequestParser } from '../redis/resp/request-parser.ts'
import type { CallOrigins } from '../runtime/call-origins.ts'
import type { SendingNotes } from '../runtime/sending-notes.ts'
import { clientParser, commandsIn } from './commands-in.ts'

/** A command on its way, its words as bytes; who sent it, where that is known. */
interface Sent {
  readonly words: readonly string[]
  readonly from: SourcePosition | null
}

/**
 * From which line of the layer each command came that Redis executes. Known clients tell where a command was made
 * (`sending-notes.ts`). Of others, the line is the one in whose stack they write it, where they write it alone: what is
 * written together may be of several callers.
 */
export class SentCommands implements SendingNotes {
  readonly #made = new WeakMap<object, SourcePosition | null>()
  /** Written in this turn, by clients that tell. */
  #written: Sent[] = []
  #turn = -1
  readonly #onWire = new WeakMap<ClientSide, { readonly parser: RequestParser; readonly sent: Sent[] }>()

  constructor(
    private readonly origins: Pick<CallOrigins, 'caller'>,
    /** Which turn of the world it is. */
    private readonly turn: () => number,
  ) {}

  made(command: object): void {
    this.#made.set(command, this.origins.caller())
  }

  written(command: object): void {
    const from = this.#made.get(command)
    if (from !== undefined) this.#inThisTurn().push({ words: wordsOf(command), from })
  }

  /** A client hands these bytes to a connection. */
  sending(connection: ClientSide, bytes: string): void {
    let wire = this.#onWire.get(connection)
    if (wire === undefined) this.#onWire.set(connection, (wire = { parser: clientParser(), sent: [] }))
    const commands = commandsIn(wire.parser, bytes)
    const alone = commands.length === 1
    for (const words of commands)
      wire.sent.push(this.#takeWritten(words) ?? { words, from: alone ? this.origins.caller() : null })
  }

  /** A server executes it; what was sent before it on that connection and was not executed never will be. */
  executed(connection: ClientSide, words: readonly string[]): SourcePosition | undefined {
    const sent = this.#onWire.get(connection)?.sent ?? []
    const at = sent.findIndex((one) => isSame(one.words, words))
    return at === -1 ? undefined : (sent.splice(0, at + 1).at(-1)!.from ?? undefined)
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
