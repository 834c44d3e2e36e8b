/** One direction of one connection. Data wait here until the conditions let them pass, in order. */
import type { Socket } from 'node:net'

/** The conditions of one direction of a link. */
export interface Conditions {
  /** The number of faults that block the direction. */
  blocks: number
  /** The number of faults that swallow the next bytes and reset their connection. */
  resets: number
  /** The additional delay in milliseconds. */
  extraMs: number
}

interface Parcel {
  readonly content: Buffer | 'end' | 'reset'
  readonly readAtMs: number
}

/** The number of waiting bytes at which the sender is paused. */
const mostBytes = 1024 * 1024

export class LoopbackStream {
  #waiting: Parcel[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #forgotten = false
  readonly #conditions: Conditions

  /** `reset`: resets the whole connection. */
  constructor(
    private readonly source: Socket,
    private readonly destination: Socket,
    [conditions, own]: readonly [ofLink: Conditions, ofConnection: Pick<Conditions, 'resets'>],
    private readonly reset: () => void,
    /** Settles when the end of the stream may pass; null if it always may. */
    private readonly mayEnd: (() => Promise<void>) | null,
  ) {
    this.#conditions = conditions
    source.on('data', (bytes: Buffer) => this.#take(conditions.resets + own.resets > 0 ? 'reset' : bytes))
    source.on('end', () => this.#take('end'))
    source.on('close', (byError) => byError && this.#take('reset'))
    destination.on('drain', () => this.passOn())
    source.resume()
  }

  /** Delivers everything that may pass now. */
  passOn(): void {
    clearTimeout(this.#timer)
    while (!this.#stopped && this.#conditions.blocks === 0 && !this.destination.writableNeedDrain) {
      const [next] = this.#waiting
      if (next === undefined) break
      const leftMs = next.readAtMs + this.#conditions.extraMs - performance.now()
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.passOn(), leftMs)
        break
      }
      this.#waiting.shift()
      this.#deliver(next.content)
    }
    if (this.#waitingBytes < mostBytes) this.source.resume()
  }

  /** Stops delivery and the timer. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Loses waiting and later data. The sender gets no error and is not slowed down. */
  forget(): void {
    this.stop()
    this.#forgotten = true
    this.#waiting = []
    this.#waitingBytes = 0
    this.source.resume()
  }

  #take(content: Parcel['content']): void {
    if (this.#forgotten) return
    this.#waiting.push({ content, readAtMs: performance.now() })
    if (typeof content !== 'string') this.#waitingBytes += content.length
    if (this.#waitingBytes >= mostBytes) this.source.pause()
    this.passOn()
  }

  #deliver(content: Parcel['content']): void {
    if (typeof content === 'string') return this.#end(content)
    this.#waitingBytes -= content.length
    if (this.destination.writable) this.destination.write(content)
  }

  #end(how: 'end' | 'reset'): void {
    const end = (): void => {
      if (how === 'reset') this.reset()
      else this.destination.end()
    }
    if (this.mayEnd === null) end()
    else void this.mayEnd().then(() => void (this.#stopped || end()))
  }
}
