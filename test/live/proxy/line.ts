import { once } from 'node:events'
import type { Socket } from 'node:net'

/** A connection whose bytes and end can be waited for. */
export class Line {
  readonly connected: Promise<unknown>
  /** How it ended: 'FIN', or the code of the error. */
  readonly ended: Promise<string>
  private readonly reads: Buffer[] = []
  private finished: string | null = null
  private changed: () => void = () => {}

  constructor(readonly socket: Socket) {
    this.connected = once(socket, 'connect')
    socket.on('data', (bytes: Buffer) => {
      this.reads.push(bytes)
      this.changed()
    })
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.finished ??= how
        resolve(this.finished)
        this.changed()
      }
      socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      socket.on('end', () => end('FIN'))
      socket.on('close', () => end('closed'))
    })
  }

  get text(): string {
    return Buffer.concat(this.reads).toString('latin1')
  }

  get isOpen(): boolean {
    return this.finished === null
  }

  /** In how many pieces the bytes came. */
  get pieces(): number[] {
    return this.reads.map((bytes) => bytes.length)
  }

  send(text: string): void {
    this.socket.write(text, 'latin1')
  }

  /** Everything received, once that is `length` bytes. Rejects when the line ends before. */
  async receive(length: number): Promise<string> {
    while (this.text.length < length) {
      if (this.finished !== null) throw new Error(`${this.finished} after ${this.text.length} of ${length} bytes`)
      await new Promise<void>((resolve) => {
        this.changed = resolve
      })
    }
    return this.text
  }
}

/** How long it took, in milliseconds. Rejects after 20 s. */
export async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('nothing happened for 20 s')), 20_000)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
  return performance.now() - startedAt
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
