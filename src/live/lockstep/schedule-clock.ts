/** The clock of a run that follows a schedule: real time plus the skipped time. */
import type { ReplayerClock } from './lock-step-replayer.ts'

export class ScheduleClock implements ReplayerClock {
  #leftOutMs = 0

  constructor(private readonly real: Omit<ReplayerClock, 'leaveOut'>) {}

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
