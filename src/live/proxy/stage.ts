import { Channel, type Chunk } from './channel.ts'

/** What a stage does with the bytes of one link. It returns once it is interrupted or has closed the pipe. */
export type Behaviour = (pipe: Pipe) => Promise<void>

/** The two ends that a behaviour works between. */
export interface Pipe {
  /** 'late' after so many milliseconds without a chunk. */
  take(withinMs?: number): Promise<Chunk | 'end' | 'interrupted' | 'late'>
  /** Passes on; waits while the next stage is behind. */
  give(chunk: Chunk): Promise<void>
  /** False when it was interrupted. */
  sleep(ms: number): Promise<boolean>
  /** Nothing follows: the link closes its destination when everything given so far has arrived there. */
  close(): void
}

/** The longest delay that Node's timers take. */
const longestMs = 2 ** 31 - 1

/** One step of a link: runs a behaviour, and can be interrupted so that another one takes over with nothing lost. */
export class Stage implements Pipe {
  readonly input: Channel
  closed = false
  private out: Channel
  private running: Promise<void> = Promise.resolve()
  private interrupted = false
  private wake: () => void = () => {}

  constructor(capacity: number, output: Channel) {
    this.input = new Channel(capacity)
    this.input.onArrival = () => this.wake()
    this.out = output
    this.output = output
  }

  get output(): Channel {
    return this.out
  }

  set output(output: Channel) {
    this.out = output
    output.onRoom = () => this.wake()
    this.wake()
  }

  start(behaviour: Behaviour): void {
    this.interrupted = false
    this.running = behaviour(this)
  }

  /** Ends the behaviour. What it holds it has passed on by then. */
  async interrupt(): Promise<void> {
    this.interrupted = true
    this.wake()
    await this.running
  }

  async take(withinMs = Number.POSITIVE_INFINITY): Promise<Chunk | 'end' | 'interrupted' | 'late'> {
    const until = performance.now() + withinMs
    for (;;) {
      if (this.interrupted) return 'interrupted'
      const one = this.input.shift()
      if (one !== undefined) return one
      const leftMs = until - performance.now()
      if (leftMs <= 0) return 'late'
      await this.nap(leftMs)
    }
  }

  async give(chunk: Chunk): Promise<void> {
    this.out.push(chunk)
    while (this.out.isFull && !this.interrupted) await this.nap(Number.POSITIVE_INFINITY)
  }

  async sleep(ms: number): Promise<boolean> {
    const until = performance.now() + ms
    for (;;) {
      if (this.interrupted) return false
      const leftMs = until - performance.now()
      if (leftMs <= 0) return true
      await this.nap(leftMs)
    }
  }

  close(): void {
    this.closed = true
    this.out.end()
  }

  /** Until something happens: a chunk, room for one, an interruption, or this much time. */
  private nap(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(() => this.wake(), Math.min(Math.ceil(ms), longestMs)) : undefined
      this.wake = () => {
        clearTimeout(timer)
        this.wake = () => {}
        resolve()
      }
    })
  }
}
