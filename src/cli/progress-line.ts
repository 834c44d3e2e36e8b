import type { Progress } from '../campaign/campaign-request.ts'

/** How often something is said where lines cannot be overwritten: nobody waits more than two seconds for a sign. */
const plainEveryMs = 1_500
const terminalEveryMs = 100

/** Says how far a campaign is: one line that is written over on a terminal, plain lines elsewhere. */
export class ProgressLine {
  #latest = 'loading'
  #shown = false
  readonly #timer: NodeJS.Timeout

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly elapsedMs: () => number,
  ) {
    this.#timer = setInterval(() => this.#show(), stream.isTTY ? terminalEveryMs : plainEveryMs)
  }

  readonly update = ({ phase, implementation, scenario, pairsDone, pairs, runs, broken }: Progress): void => {
    const what = phase === 'explaining' ? 'telling causes apart' : `${implementation} × ${scenario}`
    this.#latest = `${pairsDone} of ${pairs} pairs, ${runs} runs, ${broken} ways to break: ${what}`
  }

  /** Makes room for a line that stays. */
  clear(): void {
    if (this.#shown && this.stream.isTTY) this.stream.write('\r\x1b[2K')
    this.#shown = false
    if (!this.stream.isTTY) this.#timer.refresh()
  }

  stop(): void {
    this.clear()
    clearInterval(this.#timer)
  }

  #show(): void {
    const text = `… ${(this.elapsedMs() / 1000).toFixed(1)} s  ${this.#latest}`
    if (this.stream.isTTY) this.stream.write(`\r\x1b[2K${text.slice(0, this.stream.columns - 1)}`)
    else this.stream.write(`${text}\n`)
    this.#shown = true
  }
}
