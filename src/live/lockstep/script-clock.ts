/** The clock of a run that follows a script: real time, and the time that was left out. */
import type { StepperClock } from './stepper.ts'

export class ScriptClock implements StepperClock {
  #leftOutMs = 0

  constructor(private readonly real: Omit<StepperClock, 'leaveOut'>) {}

  nowMs(): number {
    return this.real.nowMs() + this.#leftOutMs
  }

  after(delayMs: number, work: () => void): () => void {
    return this.real.after(delayMs, work)
  }

  leaveOut(ms: number): void {
    this.#leftOutMs += ms
  }
}
