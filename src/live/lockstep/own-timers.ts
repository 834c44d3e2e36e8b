/**
 * The timers of consumer processes in a run that follows a schedule. When one is due is a time of
 * the schedule: it was started in the step that its process had just taken, and its delay is the
 * process's own.
 */
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { FromConsumer } from '../host/protocol.ts'

/** A timer that has not gone off. */
export interface OwnTimer {
  readonly process: string
  /**
   * Microseconds of the schedule; not before its process went on, where that was stopped meanwhile.
   */
  readonly dueUs: number
  /** The same, had it never been stopped. */
  readonly wasDueUs: number
  /**
   * The same, had it been started as soon as the step before was taken: no step may have brought it
   * about.
   */
  readonly earliestUs: number
  fire(): void
}

/** What a schedule's clock is asked. */
interface ScheduleClock {
  readonly nowUs: number
  /** Between two steps: for what no step has brought about. */
  readonly betweenUs: number
  /** A timer was started or cleared. */
  changed(): void
}

type TimerNews = Extract<FromConsumer, { type: 'timer-set' | 'timer-cleared' | 'digested' }>

type Armed = Pick<OwnTimer, 'wasDueUs' | 'earliestUs'>

export class OwnTimers {
  readonly #armed = new Map<ConsumerProcess, Map<number, Armed>>()
  #digested: () => void = () => {}

  constructor(
    private readonly clock: () => ScheduleClock,
    /** That have not ended. */
    private readonly processes: () => readonly ConsumerProcess[],
  ) {}

  hear(process: ConsumerProcess, news: TimerNews): void {
    if (news.type === 'digested') return this.#digested()
    const clock = this.clock()
    const armed = this.#armedOf(process)
    // One that is renewed is due behind those that are due then already.
    armed.delete(news.timer)
    if (news.type === 'timer-set') {
      const delayUs = news.delayMs * 1000
      const fromUs = process.undigested > 0 ? clock.nowUs : clock.betweenUs
      armed.set(news.timer, { wasDueUs: fromUs + delayUs, earliestUs: clock.nowUs + delayUs })
    }
    clock.changed()
  }

  /** The one that is due first, of processes that run; of that process, where it is named. */
  first(name?: string): OwnTimer | null {
    const all = this.#running()
      .filter((process) => name === undefined || process.name === name)
      .flatMap((process) => this.#timersOf(process))
    return all.sort((a, b) => a.dueUs - b.dueUs || a.wasDueUs - b.wasDueUs)[0] ?? null
  }

  #timersOf(process: ConsumerProcess): OwnTimer[] {
    const armed = this.#armedOf(process)
    return [...armed].map(([timer, { wasDueUs, earliestUs }]) => {
      const fire = () => {
        armed.delete(timer)
        process.send({ type: 'fire', timer })
      }
      const dueUs = Math.max(wasDueUs, process.resumedMs * 1000)
      return { process: process.name, dueUs, wasDueUs, earliestUs, fire }
    })
  }

  /** Every process that runs has done what it was told, and what that brought about at once. */
  async digested(): Promise<void> {
    for (let busy = this.#busy(); busy !== undefined; busy = this.#busy()) {
      const heard = new Promise<void>((resolve) => (this.#digested = resolve))
      await Promise.race([heard, busy.gone])
    }
  }

  #busy(): ConsumerProcess | undefined {
    return this.#running().find(({ undigested }) => undigested > 0)
  }

  #running(): ConsumerProcess[] {
    return this.processes().filter(({ state, hasExited }) => state === 'running' && !hasExited)
  }

  #armedOf(process: ConsumerProcess): Map<number, Armed> {
    const armed = this.#armed.get(process) ?? new Map<number, Armed>()
    this.#armed.set(process, armed)
    return armed
  }
}
