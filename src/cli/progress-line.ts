import type { Progress } from '../campaign/play/campaign-request.ts'
import { visible } from '../contract/results/visible.ts'
import { progressText } from './progress-text.ts'

/** How often the line is replaced on a terminal, in milliseconds. */
const terminalEveryMs = 100
/**
 * If the stream is not a terminal, lines are permanent. The first line is printed after
 * `plainFirstMs` milliseconds; later lines are printed only if the progress has changed, and at
 * most once in `plainEveryMs` milliseconds.
 */
const plainFirstMs = 2_000
const plainEveryMs = 10_000

/** The stream for progress. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & { write(text: string): unknown }

/**
 * Prints the progress of a campaign: one line that is replaced on a terminal, otherwise plain
 * lines.
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

  /**
   * Called before a permanent line is printed: removes the progress line. The permanent line shows
   * progress as well, so the next plain line is delayed.
   */
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
    // A change of only the elapsed time or of the estimate of the time left is not printed.
    if (what === this.#said || nowMs - this.#saidMs < plainEveryMs) return
    this.stream.write(`${text}\n`)
    this.#said = what
    this.#saidMs = nowMs
  }
}
