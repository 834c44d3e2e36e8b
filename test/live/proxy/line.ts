/** One end of a connection, with promises for its bytes and its end. */
import type { Socket } from 'node:net'

/** The limit for events that a broken link never delivers. */
const timeoutMs = 10_000

export class Line {
  /** How it ended: 'FIN', or the code of the error. */
  readonly ended: Promise<string>
  readonly #reads: Buffer[] = []
  #finished: string | null = null
  #changed: () => void = () => {}

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => {
      this.#reads.push(bytes)
      this.#changed()
    })
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.#finished ??= how
        resolve(this.#finished)
        this.#changed()
      }
      socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      socket.on('end', () => end('FIN'))
      socket.on('close', () => end('closed'))
    })
  }

  get text(): string {
    return Buffer.concat(this.#reads).toString('latin1')
  }

  get isOpen(): boolean {
    return this.#finished === null
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /**
   * Resolves with everything received once that is `length` bytes. Rejects if the line ends before.
   */
  async receive(length: number): Promise<string> {
    const receiving = async (): Promise<string> => {
      while (this.text.length < length) {
        if (this.#finished !== null) throw new Error(`${this.#finished} after ${this.text.length} of ${length} bytes`)
        await new Promise<void>((resolve) => {
          this.#changed = resolve
        })
      }
      return this.text
    }
    return soon(receiving(), `${length} bytes`)
  }

  async end(): Promise<string> {
    return soon(this.ended, 'the end of a connection')
  }
}

/** Rejects after the limit. */
export async function soon<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
