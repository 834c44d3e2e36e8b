import type { Progress } from '../campaign/play/campaign-request.ts'
import { visible } from '../contract/results/visible.ts'
import { progressText } from './progress-text.ts'

/** On a terminal, how often the line is written over. */
const terminalEveryMs = 100
/** Elsewhere lines stay: the first soon, then only what is new, and no more often than this. */
const plainFirstMs = 2_000
const plainEveryMs = 10_000

/** Where progress goes. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & { write(text: string): unknown }

/**
 * Says how far a campaign is: one line that is written over on a terminal, plain lines elsewhere.
 */
export class ProgressLine {
  #latest: Progress | null = null
  #said = ''
  #shown = false
  #saidMs: number
  readonly #startedMs: number
  readonly #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly stream: ProgressStream,
    private readonly elapsedMs: () => number,
    quiet = false,
  ) {
    this.#startedMs = elapsedMs()
    this.#saidMs = this.#startedMs + plainFirstMs - plainEveryMs
    if (!quiet) this.#timer = setInterval(() => this.#show(), terminalEveryMs)
  }

  readonly update = (progress: Progress): void => {
    this.#latest = progress
  }

  /** Makes room for a line that stays, and that says something itself. */
  clear(): void {
    if (this.stream.isTTY && this.#shown) this.stream.write('\r\x1b[2K')
    this.#shown = false
    this.#saidMs = Math.max(this.#saidMs, this.elapsedMs() + plainFirstMs - plainEveryMs)
  }

  stop(): void {
    this.clear()
    clearInterval(this.#timer)
  }

  #show(): void {
    const nowMs = this.elapsedMs()
    const { what, left } = progressText(this.#latest, nowMs)
    const text = visible(`… ${(nowMs / 1000).toFixed(1)} s  ${what}${left}`)
    if (this.stream.isTTY) {
      this.stream.write(`\r\x1b[2K${text.slice(0, this.stream.columns - 1)}`)
      this.#shown = true
      return
    }
    // Time that passes and an estimate of what is left are no news.
    if (what === this.#said || nowMs - this.#saidMs < plainEveryMs) return
    this.stream.write(`${text}\n`)
    this.#said = what
    this.#saidMs = nowMs
  }
}
