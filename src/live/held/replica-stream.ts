/**
 * The data that a primary sends to a replica on one connection, which are held back command by
 * command: the replies of the handshake, the data set if one is sent, and the stream of writes.
 * PSYNC and its reply give the replication offset of each byte of the stream
 * (https://redis.io/docs/latest/operate/oss_and_stack/management/replication/).
 */
import { CommandReader } from '../consumer/resp.ts'

/** Commands of the stream that change no data. */
const harmless = new Set(['PING', 'SELECT', 'REPLCONF', 'PUBLISH'])

const newline = '\r\n'

/** How a replica synchronizes: it receives the whole data set, or only the part that it lacks. */
export type Sync = 'full' | 'partial'

type State =
  /** A whole line is expected: one of the handshake, or the first of the data set. */
  | { readonly at: 'handshake' | 'payload' }
  /**
   * `left`: the number of bytes still to come. If the data end with a mark, they extend up to and
   * including the mark.
   */
  | { readonly at: 'data'; left: number }
  | { readonly at: 'marked data'; readonly mark: Buffer }
  | { readonly at: 'stream' }

export class ReplicaStream {
  #state: State = { at: 'handshake' }
  #rest = Buffer.alloc(0)
  /** The replica has, or will have, the history up to this offset. */
  #offset: number

  /**
   * `asked`: the first byte of the history that the replica requests. `limit`: returns the offset
   * up to which it may have the history; infinite if nothing is held back.
   */
  constructor(
    asked: number,
    private readonly limit: () => number,
    /** True if commands that change no data pass regardless of the limit. */
    private readonly passesHarmless: () => boolean = () => true,
    /** Called when the primary has chosen the kind of sync and its reply passes. */
    private readonly syncs: (how: Sync) => void = () => {},
  ) {
    this.#offset = asked - 1
  }

  /** Returns the bytes that may pass now, new ones and earlier ones. */
  take(bytes: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const passed: Buffer[] = []
    for (let part = this.#next(); part !== null; part = this.#next()) {
      passed.push(part)
      this.#rest = this.#rest.subarray(part.length)
    }
    return Buffer.concat(passed)
  }

  /** The next part that may pass as a whole; null if no part may, or if it is incomplete. */
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

  /** All bytes that cannot be part of the mark. If the mark is there, everything up to its end. */
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
    // An idle primary sends empty lines, which pass.
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
