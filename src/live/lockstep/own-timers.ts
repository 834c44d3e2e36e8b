/**
 * The timers of consumer processes in a run that follows a schedule. They are due by the schedule's
 * time: a timer starts in the last step of its process, with the delay that the process reports.
 */
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { FromConsumer } from '../host/protocol.ts'

/** A timer that has not fired. */
export interface OwnTimer {
  readonly process: string
  /**
   * The time at which the timer is due, in microseconds of the schedule. If its process was stopped
   * at that time, the timer is due when the process resumes.
   */
  readonly dueUs: number
  /** The time at which the timer is due if the stop of its process is ignored. */
  readonly wasDueUs: number
  /**
   * The time at which the timer is due, counted from the previous step, because the timer may have
   * been started independently of any step.
   */
  readonly earliestUs: number
  fire(): void
}

/** The part of the replayer that timers use. */
interface ScheduleClock {
  readonly nowUs: number
  /** The time between two steps, which applies to timers that no step has started. */
  readonly betweenUs: number
  /** Called when a timer was started or cleared. */
  changed(): void
}

type TimerNews = Extract<FromConsumer, { type: 'timer-set' | 'timer-cleared' | 'digested' }>

type Armed = Pick<OwnTimer, 'wasDueUs' | 'earliestUs'>

export class OwnTimers {
  readonly #armed = new Map<ConsumerProcess, Map<number, Armed>>()
  #digested: () => void = () => {}

  constructor(
    private readonly clock: () => ScheduleClock,
    /** Returns the processes that have not ended. */
    private readonly processes: () => readonly ConsumerProcess[],
  ) {}

  hear(process: ConsumerProcess, news: TimerNews): void {
    if (news.type === 'digested') return this.#digested()
    const clock = this.clock()
    const armed = this.#armedOf(process)
    // A timer that is started again comes after those that are due at the same time.
    armed.delete(news.timer)
    if (news.type === 'timer-set') {
      const delayUs = news.delayMs * 1000
      const fromUs = process.undigested > 0 ? clock.nowUs : clock.betweenUs
      armed.set(news.timer, { wasDueUs: fromUs + delayUs, earliestUs: clock.nowUs + delayUs })
    }
    clock.changed()
  }

  /**
   * The timer of a running process that is due first. If a name is given, only timers of that
   * process are considered.
   */
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

  /** Resolves when every running process has carried out its orders and their immediate effects. */
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
