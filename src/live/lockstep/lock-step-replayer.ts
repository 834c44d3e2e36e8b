/**
 * Makes a run go by a schedule. What enters the runner waits here until it is the schedule's next
 * step, and it is time for it. What had expired there is waited for by Redis's own clock.
 */
import {
  type Draw,
  type Schedule,
  type ScheduleDivergence,
  type ScheduleStep,
  withScriptLabels,
} from '../../contract/results/schedule.ts'
import { type Otherwise, type Step, sameStep } from '../../contract/results/step.ts'
import { earnestUntilUs } from '../../run/idle-time.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import { isOfProcess, relabeled, type Steps } from '../../run/steps.ts'
import type { OwnTimer, OwnTimers } from './own-timers.ts'
import { SchedulePace } from './pace.ts'
import type { Rest } from './rest.ts'

export interface ReplayerClock {
  nowMs(): number
  /** Answers how to take it back. */
  after(delayMs: number, work: () => void): () => void
  /** From now on it is so much later. */
  leaveOut(ms: number): void
}

export interface ReplayerOptions {
  /** How many of the steps are to be followed. */
  readonly until: number
  /**
   * For how long a step that is due may fail to come where nobody knows whether it still can, in
   * milliseconds.
   */
  readonly timeoutMs: number
  /** Hears of a step that is due and does not wait. */
  wanted(step: Step): void
  /**
   * In how many milliseconds the last of these Redis keys expires in earnest; negative where none
   * is there that will. `server`: of several, the one that is asked.
   */
  expireInMs(keys: readonly string[], server: string | null): Promise<number>
  /** Of the processes: they wait for their time in the schedule, too. */
  readonly timers: Pick<OwnTimers, 'first' | 'digested'>
  readonly rest: Pick<Rest, 'of' | 'ofAll' | 'over' | 'overAll'>
}

/**
 * What an expiry may be later in earnest, beside the lateness of the run: a look at it, its ticks
 * and the way there.
 */
const expiryMs = 50

/** Less is waited for: it takes about as long to see that nothing happens. */
const worthMs = 20

/**
 * What a process at rest had sent before may still be on its way to the runner, for no longer than
 * this.
 */
const onItsWayMs = 2_000

interface Waiting {
  step: () => Step
  /** The connection by which it comes about; null for what is not known to come by one. */
  readonly via: string | null
  release(): Promise<void>
}

export class LockStepReplayer implements Steps {
  readonly pace: SchedulePace
  /** Steps that were taken. */
  taken = 0
  /** Where the schedule was left; null while it is followed. */
  left: ScheduleDivergence | null = null
  readonly #waiting: Waiting[] = []
  /** What must be done before the next step. */
  readonly #holds = new Set<Promise<unknown>>()
  readonly #draws = new Map<string, Draw[]>()
  /** When the runner asked for what will be steps. */
  readonly #requested: { readonly step: Step; readonly atUs: number }[] = []
  readonly #labelsSent = new Set<string>()
  /** For each step, up to which time of the schedule the time before it has to pass. */
  readonly #earnestUntilUs: readonly number[]
  #via: string | null = null
  /** By number of a connection in the schedule: that of this run; and the other way round. */
  readonly #vias = new Map<number, string>()
  readonly #numbers = new Map<string, number>()
  /** Is called when something has come, or the schedule was left. */
  #look: () => void = () => {}

  constructor(
    private readonly schedule: Schedule,
    private readonly clock: ReplayerClock,
    private readonly options: ReplayerOptions,
  ) {
    this.pace = new SchedulePace(clock, schedule.steps[0]?.atUs ?? 0)
    this.#earnestUntilUs = earnestUntilUs(schedule.steps.slice(0, options.until))
    for (const draw of schedule.draws) this.#draws.set(draw.stream, [...(this.#draws.get(draw.stream) ?? []), draw])
  }

  /** Whether such a step is still to come. */
  expects(step: Step): boolean {
    return this.#comesMoreThan(0, step)
  }

  /** Whether the schedule has such a step that nothing waits for yet. */
  hasRoomFor(step: Step): boolean {
    return this.#comesMoreThan(this.#waiting.filter((one) => sameStep(one.step(), step)).length, step)
  }

  #comesMoreThan(times: number, step: Step): boolean {
    const { steps } = this.schedule
    let left = times
    for (let at = this.taken; at < steps.length; at++) if (sameStep(steps[at]!.step, step) && left-- === 0) return true
    return false
  }

  /** The number that was drawn there. Beyond the schedule's own, the calmest. */
  chance(stream: string, what: string, n: number): number {
    const next = this.#draws.get(stream)?.shift()
    return next?.what === what && next.n === n ? next.chosen : 0
  }

  /**
   * A label as the simulator had it then: a script has its name once some process has sent its
   * body, and until then that of its hash. A process of its own knows only what it has sent itself.
   */
  labelOf(label: string): string {
    const named = withScriptLabels(label, this.schedule)
    if (named === label) this.#labelsSent.add(label)
    return this.#labelsSent.has(named) ? named : label
  }

  /** Never settles for a step that is not taken. */
  take<T>(given: Step | (() => Step), work: () => MaybePromise<T>): Promise<T> {
    const known = typeof given === 'function' ? given : this.#asKnown(given)
    const step = typeof known === 'function' ? known : () => known
    return new Promise<T>((resolve, reject) => {
      if (isOfProcess(step()) && !this.hasRoomFor(step())) this.#leave(step())
      const release = async (): Promise<void> => {
        const done = new Promise<T>((settle) => settle(work()))
        done.then(resolve, reject)
        await done.catch(() => {})
      }
      this.#waiting.push({ step, via: this.#via, release })
      this.#look()
    })
  }

  /** With its label as the schedule has it. */
  #asKnown(step: Step): Step {
    return relabeled(step, (label) => withScriptLabels(label, this.schedule))
  }

  #waitsAt(given: Step): number {
    const step = this.#asKnown(given)
    return this.#waiting.findIndex((one) => sameStep(one.step(), step))
  }

  /** What is taken by this work at once comes about by that connection. */
  by<T>(connection: string, work: () => T): T {
    this.#via = connection
    try {
      return work()
    } finally {
      this.#via = null
    }
  }

  /** It came now, though a stopped process comes to it later. */
  ask(step: Step): void {
    this.#requested.push({ step, atUs: this.nowUs })
  }

  /** What waited will not come any more. */
  withdraw(step: Step): void {
    const at = this.#waitsAt(step)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /**
   * The process has closed the connection on which it waited: what had left for Redis is still
   * executed where the schedule has it so. Where it has not, it will not come any more.
   */
  hangUp(given: Step): void {
    const waiting = this.#waiting[this.#waitsAt(given)]
    const step = waiting?.step()
    if (waiting === undefined || step?.kind !== 'pass') return this.withdraw(given)
    const hungUp = { ...step, hungUp: true }
    if (!this.hasRoomFor(hungUp)) return this.withdraw(given)
    waiting.step = () => hungUp
    this.#look()
  }

  /** No further step is taken before it has settled. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#holds.delete(held))
    this.#holds.add(held)
  }

  /** The step that was taken last. */
  get last(): ScheduleStep | undefined {
    return this.schedule.steps[this.taken - 1]
  }

  /** The step that is to be taken next. */
  get next(): ScheduleStep | undefined {
    return this.schedule.steps[this.taken]
  }

  /** What was to be done in the step that was taken last has come to something else. */
  wentOtherwise(text: string, cause: Otherwise['cause'] = 'other'): void {
    if (this.left !== null) return
    this.left = { step: this.taken, expected: this.last!.step, seen: { kind: 'otherwise', cause, text } }
    this.taken--
    this.#look()
  }

  /** A timer of a process was started or cleared, or what waits is another step. */
  changed(): void {
    this.#look()
  }

  /** The schedule's time, in microseconds. */
  get nowUs(): number {
    return this.pace.nowUs
  }

  get betweenUs(): number {
    return this.pace.betweenUs(this.schedule.steps[this.taken])
  }

  /** Resolves when the steps were taken, or one of them was not. */
  async follow(): Promise<void> {
    for (const step of this.schedule.steps.slice(0, this.options.until)) {
      const waiting = await this.#next(step)
      if (waiting === null) return
      this.#pair(step, waiting)
      if (!(await this.#haveExpired(step))) return
      this.pace.goOn(step)
      this.taken++
      await waiting.release()
      await this.#quiet()
    }
  }

  /**
   * Comes to the step, when it is time for it, with the timers that are due before it. Null where
   * the run has left the schedule: the step has not come, and its process is at rest.
   */
  async #next(step: ScheduleStep): Promise<Waiting | null> {
    let sinceMs: number | null = null
    let wanted = false
    let restsSinceMs: number | null = null
    let allRest = false
    for (;;) {
      if (this.left !== null) return null
      const nowMs = this.clock.nowMs()
      const at = this.#waitingFor(step)
      const timer = this.#timerBefore(step, at >= 0)
      const leftMs = timer === null ? this.pace.leftMsTo(step) : this.pace.leftMs(Math.min(timer.dueUs, step.atUs))
      if (leftMs > 0) {
        if (allRest) this.clock.leaveOut(leftMs)
        else allRest = await this.#passes(leftMs)
        continue
      }
      allRest = false
      if (timer !== null) {
        sinceMs = null
        restsSinceMs = null
        await this.#fire(timer, Math.min(timer.dueUs, step.atUs))
        continue
      }
      if (at >= 0) return this.#waiting.splice(at, 1)[0]!
      if (this.#holds.size > 0) {
        // What the step comes of may be under way in the harness.
        await Promise.all(this.#holds)
        await new Promise(setImmediate)
        continue
      }
      sinceMs ??= nowMs
      const timeoutMs = this.options.timeoutMs - (nowMs - sinceMs)
      const later = restsSinceMs === null ? null : this.#laterTimer(step, timeoutMs)
      const arrivesMs = restsSinceMs === null ? timeoutMs : restsSinceMs + onItsWayMs - nowMs
      if (timeoutMs <= 0) this.#leave(this.#inPlaceOf(step))
      else if (later !== null) {
        const leftMs = this.pace.leftMs(later.atUs)
        if (leftMs > 0) await this.#wake(leftMs)
        else {
          restsSinceMs = null
          await this.#fire(later.timer, later.atUs)
        }
      } else if (arrivesMs <= 0) this.#leave(this.#inPlaceOf(step))
      else if (restsSinceMs !== null) await this.#wake(Math.min(timeoutMs, arrivesMs))
      else {
        this.pace.reach(step.atUs)
        if (!wanted) this.options.wanted(step.step)
        wanted = true
        if (await this.#comesToRest(step, timeoutMs)) restsSinceMs = this.clock.nowMs()
      }
    }
  }

  /**
   * -1 where it has not come. Of what is alike, it is what comes by the connection that the
   * schedule's own has been so far: two of a process may say the same, and hear the same.
   */
  #waitingFor({ step, via: number }: ScheduleStep): number {
    const via = number === undefined ? undefined : this.#vias.get(number)
    return this.#waiting.findIndex((one) => {
      if (!sameStep(one.step(), step)) return false
      if (number === undefined || one.via === null) return true
      return via === undefined ? !this.#numbers.has(one.via) : one.via === via
    })
  }

  #pair({ via: number }: ScheduleStep, { via }: Waiting): void {
    if (number === undefined || via === null) return
    this.#vias.set(number, via)
    this.#numbers.set(via, number)
  }

  /**
   * Time goes on. True where it need not, since nothing happens any more; sooner over where
   * something has come, too.
   */
  async #passes(ms: number): Promise<boolean> {
    const { rest } = this.options
    // All time before a step that asks for Redis's time has to pass: also what makes up for a
    // write that was late.
    const untilUs = this.#earnestUntilUs[this.taken]!
    const passesAll = untilUs >= this.next!.atUs
    const earnestMs = passesAll ? ms : this.pace.leftMs(untilUs)
    if (earnestMs > 0 || !this.pace.began || ms < worthMs) {
      await this.#wake(earnestMs > 0 && this.pace.began ? Math.min(ms, Math.ceil(earnestMs)) : ms)
      return false
    }
    const rests = await this.#restsIn(rest.ofAll(), ms)
    if (!rests) rest.overAll()
    return rests
  }

  /**
   * Whether nothing more comes of the step's process by itself. False where something has come, or
   * time has passed.
   */
  async #comesToRest({ step }: ScheduleStep, timeoutMs: number): Promise<boolean> {
    const rests = await this.#restsIn(this.options.rest.of(processOf(step)), timeoutMs)
    if (!rests) this.options.rest.over(processOf(step))
    return rests
  }

  async #restsIn(resting: Promise<void>, ms: number): Promise<boolean> {
    let rests = false
    void resting.then(() => {
      rests = true
      this.#look()
    })
    await this.#wake(ms)
    return rests
  }

  /**
   * One that is due before the step. At the same time the step comes first if it waits, and
   * otherwise the timer, which may be what brings it about.
   */
  #timerBefore(step: ScheduleStep, waits: boolean): OwnTimer | null {
    const first = this.options.timers.first()
    if (first === null || first.dueUs > step.atUs) return null
    return first.dueUs < step.atUs || !waits || this.#precedes(first, step) ? first : null
  }

  /**
   * Of what a stopped process comes to at the same moment: what was due comes before what came
   * later.
   */
  #precedes({ wasDueUs }: OwnTimer, { step }: ScheduleStep): boolean {
    return this.#requested.some((one) => wasDueUs < one.atUs && sameStep(one.step, step))
  }

  /**
   * The next timer of a process that is at rest, where its step has not come: nothing else can
   * bring it about. It may be due later than in the schedule: clients draw how long they wait
   * before they connect again, and a delay that Redis has told is longer by as much as the run is
   * late. Null where it is due later than anybody waits for.
   */
  #laterTimer(
    { step, atUs: stepUs }: ScheduleStep,
    timeoutMs: number,
  ): { readonly timer: OwnTimer; readonly atUs: number } | null {
    const process = processOf(step)
    const timer = process === null ? null : this.options.timers.first(process)
    if (timer === null) return null
    const atUs = Math.max(stepUs, timer.earliestUs - this.pace.lateMs * 1000)
    return this.pace.leftMs(atUs) > timeoutMs ? null : { timer, atUs }
  }

  async #fire(timer: OwnTimer, atUs: number): Promise<void> {
    this.pace.reach(atUs)
    timer.fire()
    await this.#quiet()
  }

  /**
   * Waits until what had expired in the schedule has expired in earnest: as much later as the run
   * has ever been, since what set it may have been so late. False where it lives on: there Redis
   * keeps it for longer than the simulator did.
   */
  async #haveExpired({ expired, server }: ScheduleStep): Promise<boolean> {
    if (expired.length === 0) return true
    const untilMs = this.clock.nowMs() + this.pace.lateMs + expiryMs
    for (;;) {
      // The answer may have been given long before it is here.
      const requestedMs = this.clock.nowMs()
      const leftMs = await this.options.expireInMs(expired, server)
      if (leftMs < 0) return true
      if (requestedMs + leftMs > untilMs) {
        this.#leave({ kind: 'otherwise', cause: 'other', text: `${expired.join(', ')} had not expired` })
        return false
      }
      await new Promise<void>((resolve) => this.clock.after(leftMs + 1, resolve))
    }
  }

  /**
   * Resolves after that time, or sooner: when something has come, a timer has changed or the
   * schedule was left.
   */
  #wake(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#look = () => {}
        forget()
        resolve()
      }
      const forget = this.clock.after(ms, wake)
      this.#look = wake
    })
  }

  /**
   * What waits of the process in the step's place; null where nothing does, but for what it comes
   * to by itself later.
   */
  #inPlaceOf({ step }: ScheduleStep): Step | null {
    const there = this.#waiting.map((one) => one.step())
    const process = processOf(step)
    if (process === null) return there.find((one) => sameStep(one, step)) ?? null
    const own = there.filter((one) => processOf(one) === process)
    return own.find(isOfProcess) ?? own.find((one) => deedOf(one) === deedOf(step)) ?? null
  }

  /**
   * All that the step has brought about at once is done: promises of the harness, what is held for,
   * and in processes.
   */
  async #quiet(): Promise<void> {
    let forget = (): void => {}
    const timeout = new Promise<void>((resolve) => {
      forget = this.clock.after(this.options.timeoutMs, () => {
        const next = this.schedule.steps[this.taken]
        if (next !== undefined) this.#leave(this.#inPlaceOf(next))
        resolve()
      })
    })
    await Promise.race([this.#settled(), timeout])
    forget()
  }

  async #settled(): Promise<void> {
    do {
      await Promise.all(this.#holds)
      await new Promise(setImmediate)
      await this.options.timers.digested()
    } while (this.#holds.size > 0)
  }

  #leave(seen: ScheduleDivergence['seen']): void {
    if (this.left !== null || this.taken >= this.options.until) return
    const expected = this.schedule.steps[this.taken]!.step
    this.left = { step: this.taken + 1, expected, seen }
    this.#look()
  }
}

/** Null for a step of the harness or of a server. */
const processOf = (step: Step): string | null => ('process' in step ? step.process : null)

const deedOf = (step: Step): string =>
  step.kind === 'pass' ? step.boundary : step.kind === 'heard' ? step.what : step.kind
