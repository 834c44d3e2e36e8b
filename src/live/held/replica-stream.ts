/**
 * What a primary sends to a replica on one connection, held back command by command: the answers of
 * the handshake, the data set where one is sent, and the stream of what was written. Where each
 * byte of the stream stands in the history of the primary's data is known by PSYNC and its answer
 * (https://redis.io/docs/latest/operate/oss_and_stack/management/replication/).
 */
import { CommandReader } from '../consumer/resp.ts'

/** Commands of the stream that change no data. */
const harmless = new Set(['PING', 'SELECT', 'REPLCONF', 'PUBLISH'])

const newline = '\r\n'

/** How a replica's data become its primary's: it is sent all of them, or what it lacks. */
export type Sync = 'full' | 'partial'

type State =
  /** What is needed to be whole: a line of the handshake, or the first of the data set. */
  | { readonly at: 'handshake' | 'payload' }
  /** `left`: bytes still to come. With a mark, all until it and the mark itself. */
  | { readonly at: 'data'; left: number }
  | { readonly at: 'marked data'; readonly mark: Buffer }
  | { readonly at: 'stream' }

export class ReplicaStream {
  #state: State = { at: 'handshake' }
  #rest = Buffer.alloc(0)
  /** The replica has, or will have, the history up to here. */
  #offset: number

  /**
   * `asked`: the first byte of the history that the replica wants. `limit`: up to where it may have
   * it; infinite where nothing is held.
   */
  constructor(
    asked: number,
    private readonly limit: () => number,
    /** Whether the replica may have what changes no data, too. */
    private readonly passesHarmless: () => boolean = () => true,
    /** The primary has said which it is, and the replica hears of it now. */
    private readonly syncs: (how: Sync) => void = () => {},
  ) {
    this.#offset = asked - 1
  }

  /** What may go on now, of these bytes and of what has waited. */
  take(bytes: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const passed: Buffer[] = []
    for (let part = this.#next(); part !== null; part = this.#next()) {
      passed.push(part)
      this.#rest = this.#rest.subarray(part.length)
    }
    return Buffer.concat(passed)
  }

  /** The next part that may go on whole; null where none may, or none is whole. */
  #next(): Buffer | null {
    const state = this.#state
    if (this.#rest.length === 0) return null
    if (state.at === 'data') {
      const part = this.#rest.subarray(0, state.left)
      state.left -= part.length
      if (state.left === 0) this.#state = { at: 'stream' }
      return part
    }
    if (state.at === 'marked data') return this.#markedData(state.mark)
    if (state.at === 'stream') return this.#command()
    const end = this.#rest.indexOf('\n')
    if (end < 0) return null
    const line = this.#rest.toString('latin1', 0, end).replace(/\r$/, '')
    if (state.at === 'handshake') this.#heard(line)
    else if (line.startsWith('$EOF:')) this.#state = { at: 'marked data', mark: Buffer.from(line.slice(5), 'latin1') }
    else if (line.startsWith('$')) this.#state = { at: 'data', left: Number(line.slice(1)) }
    return this.#rest.subarray(0, end + 1)
  }

  #heard(line: string): void {
    const [what, , offset] = line.split(' ')
    if (what === '+FULLRESYNC') {
      this.#offset = Number(offset)
      this.#state = { at: 'payload' }
      this.syncs('full')
    } else if (what === '+CONTINUE') {
      this.#state = { at: 'stream' }
      this.syncs('partial')
    }
  }

  /** All that cannot be a part of the mark; with the mark, the end. */
  #markedData(mark: Buffer): Buffer | null {
    const at = this.#rest.indexOf(mark)
    if (at >= 0) {
      this.#state = { at: 'stream' }
      return this.#rest.subarray(0, at + mark.length)
    }
    const whole = this.#rest.length - mark.length
    return whole > 0 ? this.#rest.subarray(0, whole) : null
  }

  #command(): Buffer | null {
    // A primary that has nothing to say sends an empty line.
    if (this.#rest.indexOf(newline) === 0) return this.#rest.subarray(0, 2)
    const [command] = new CommandReader().take(this.#rest)
    if (command === undefined) return null
    const end = this.#offset + command.end
    const isHarmless = harmless.has(command.args[0]!.toUpperCase())
    if (!(isHarmless && this.passesHarmless()) && end > this.limit()) return null
    this.#offset = end
    return this.#rest.subarray(0, command.end)
  }
}
