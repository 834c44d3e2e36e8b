/**
 * Replays a recorded schedule: every event that enters the runner is held back until it is the next
 * step of the schedule, and until its time has come. If a key has expired before a step of the
 * schedule, the replayer also waits until the key has expired in the real Redis.
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
  /** Returns a function that cancels the work. */
  after(delayMs: number, work: () => void): () => void
  /** Advances the clock by that time. */
  leaveOut(ms: number): void
}

export interface ReplayerOptions {
  /** The number of steps to follow. */
  readonly until: number
  /**
   * The maximum wait for a due step while it is unknown whether the step can still come, in
   * milliseconds.
   */
  readonly timeoutMs: number
  /** Called with a step that is due but has not come. */
  wanted(step: Step): void
  /**
   * The time until the last of these keys expires in the real Redis, in milliseconds; negative if
   * none of them will. `server`: the one of several servers to ask; null if there is only one.
   */
  expireInMs(keys: readonly string[], server: string | null): Promise<number>
  /** The timers of the processes, which also wait for their time in the schedule. */
  readonly timers: Pick<OwnTimers, 'first' | 'digested'>
  readonly rest: Pick<Rest, 'of' | 'ofAll' | 'over' | 'overAll'>
}

/**
 * How much later than in the schedule a key may really expire, in addition to the lateness of the
 * run. Covers one query of the key, Redis's ticks and the latency.
 */
const expiryMs = 50

/**
 * A shorter wait is not skipped, because detecting that the processes are idle takes about as long.
 */
const worthMs = 20

/**
 * The time within which a message that was sent before its process came to rest reaches the runner.
 */
const onItsWayMs = 2_000

interface Waiting {
  step: () => Step
  /** The connection that causes the step; null if it is unknown, or something else causes it. */
  readonly via: string | null
  release(): Promise<void>
}

export class LockStepReplayer implements Steps {
  readonly pace: SchedulePace
  /** The number of steps that were taken. */
  taken = 0
  /** The divergence from the schedule; null while it is followed. */
  left: ScheduleDivergence | null = null
  readonly #waiting: Waiting[] = []
  /** Work that must be done before the next step. */
  readonly #holds = new Set<Promise<unknown>>()
  readonly #draws = new Map<string, Draw[]>()
  /** The steps that the runner has requested, with the times of the requests. */
  readonly #requested: { readonly step: Step; readonly atUs: number }[] = []
  readonly #labelsSent = new Set<string>()
  /**
   * For each step, the time of the schedule until which the wait before the step must not be
   * skipped.
   */
  readonly #earnestUntilUs: readonly number[]
  #via: string | null = null
  /** The connection in this run for each number in the schedule, and the reverse. */
  readonly #vias = new Map<number, string>()
  readonly #numbers = new Map<string, number>()
  /** Called when a step has arrived, or when the run has diverged. */
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

  /** True if such a step is still to come. */
  expects(step: Step): boolean {
    return this.#comesMoreThan(0, step)
  }

  /** True if the schedule still has such a step for which nothing waits yet. */
  hasRoomFor(step: Step): boolean {
    return this.#comesMoreThan(this.#waiting.filter((one) => sameStep(one.step(), step)).length, step)
  }

  #comesMoreThan(times: number, step: Step): boolean {
    const { steps } = this.schedule
    let left = times
    for (let at = this.taken; at < steps.length; at++) if (sameStep(steps[at]!.step, step) && left-- === 0) return true
    return false
  }

  /** The number that the schedule drew. After its last draw the number is 0, the calmest value. */
  chance(stream: string, what: string, n: number): number {
    const next = this.#draws.get(stream)?.shift()
    return next?.what === what && next.n === n ? next.chosen : 0
  }

  /**
   * The label that the simulator used at this point. The simulator labels a script by its name once
   * some process has sent the script's body, and by its hash before that. A real process knows only
   * the scripts that it has sent itself.
   */
  labelOf(label: string): string {
    const named = withScriptLabels(label, this.schedule)
    if (named === label) this.#labelsSent.add(label)
    return this.#labelsSent.has(named) ? named : label
  }

  /** Takes a step when it is next, and does the work. Never settles if the step is not taken. */
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

  /** The step with the label that the schedule has. */
  #asKnown(step: Step): Step {
    return relabeled(step, (label) => withScriptLabels(label, this.schedule))
  }

  #waitsAt(given: Step): number {
    const step = this.#asKnown(given)
    return this.#waiting.findIndex((one) => sameStep(one.step(), step))
  }

  /** Does the work. Steps that it takes synchronously are assigned to that connection. */
  by<T>(connection: string, work: () => T): T {
    this.#via = connection
    try {
      return work()
    } finally {
      this.#via = null
    }
  }

  /** Notes that a step was requested now, because a stopped process handles the request later. */
  ask(step: Step): void {
    this.#requested.push({ step, atUs: this.nowUs })
  }

  /** Removes a waiting step that will not come any more. */
  withdraw(step: Step): void {
    const at = this.#waitsAt(step)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /**
   * The process has closed the connection on which the step waited. If the schedule also closed it,
   * a command that had been sent to Redis is still executed; otherwise the step will not come any
   * more.
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

  /** Holds back all further steps until the work has settled. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#holds.delete(held))
    this.#holds.add(held)
  }

  /** The step that was taken last. */
  get last(): ScheduleStep | undefined {
    return this.schedule.steps[this.taken - 1]
  }

  /** The step to take next. */
  get next(): ScheduleStep | undefined {
    return this.schedule.steps[this.taken]
  }

  /** Notes that the last step had a different outcome than recorded. */
  wentOtherwise(text: string, cause: Otherwise['cause'] = 'other'): void {
    if (this.left !== null) return
    this.left = { step: this.taken, expected: this.last!.step, seen: { kind: 'otherwise', cause, text } }
    this.taken--
    this.#look()
  }

  /**
   * Called when a timer of a process was started or cleared, or when a waiting step has become
   * another one.
   */
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

  /** Follows the schedule. Resolves when the steps were taken or the run has diverged. */
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
   * Waits until it is time for the step, fires the timers that are due before it, and returns it.
   * Null if the run has diverged, because the step has not come and its process is at rest.
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
        // Work in the harness may still cause the step, so it is awaited.
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
   * The index of the waiting step; -1 if it has not come. If several steps are equal, picks the one
   * on the connection that the schedule used so far, because two connections of a process may send
   * and receive the same.
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
   * Waits up to `ms`. Returns true if the rest of the wait can be skipped because everything is
   * idle; returns early if an event arrives.
   */
  async #passes(ms: number): Promise<boolean> {
    const { rest } = this.options
    // The time before a step that uses Redis's clock must really pass, including the delay that
    // compensates for a late write.
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
   * Returns true if the step's process produces nothing more by itself; false if something has
   * arrived or the time has passed.
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
   * A timer that is due before the step. If a timer and a step are due at the same time, a step
   * that already waits comes first; otherwise the timer does, because it may cause the step.
   */
  #timerBefore(step: ScheduleStep, waits: boolean): OwnTimer | null {
    const first = this.options.timers.first()
    if (first === null || first.dueUs > step.atUs) return null
    return first.dueUs < step.atUs || !waits || this.#precedes(first, step) ? first : null
  }

  /**
   * True if the timer comes before the step, for events that a stopped process handles at the same
   * moment: an earlier timer comes before a later request.
   */
  #precedes({ wasDueUs }: OwnTimer, { step }: ScheduleStep): boolean {
    return this.#requested.some((one) => wasDueUs < one.atUs && sameStep(one.step, step))
  }

  /**
   * The next timer of a process at rest whose step has not come, because nothing else can cause the
   * step. The timer may be due later than in the schedule, because clients draw their reconnect
   * delays, and because a delay that Redis returns grows by the lateness of the run. Null if the
   * timer is due after the timeout.
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
   * Waits until the keys that had expired in the schedule have really expired. They may expire
   * later by the greatest lateness of the run so far, because the command that set the expiry may
   * have been that late. Returns false if the real Redis keeps a key longer than the simulator did.
   */
  async #haveExpired({ expired, server }: ScheduleStep): Promise<boolean> {
    if (expired.length === 0) return true
    const untilMs = this.clock.nowMs() + this.pace.lateMs + expiryMs
    for (;;) {
      // The time is read before the call, because the answer may arrive long after it was given.
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
   * Resolves after that time, or earlier if something has arrived, a timer has changed or the run
   * has diverged.
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
   * The step of the same process that waits instead of the expected one; null if no step waits.
   * Ignores steps that a process may take later by itself.
   */
  #inPlaceOf({ step }: ScheduleStep): Step | null {
    const there = this.#waiting.map((one) => one.step())
    const process = processOf(step)
    if (process === null) return there.find((one) => sameStep(one, step)) ?? null
    const own = there.filter((one) => processOf(one) === process)
    return own.find(isOfProcess) ?? own.find((one) => deedOf(one) === deedOf(step)) ?? null
  }

  /**
   * Waits until all immediate consequences of the step are done: promises of the harness, holds,
   * and work in processes.
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

/** The process of a step; null for a step of the harness or of a server. */
const processOf = (step: Step): string | null => ('process' in step ? step.process : null)

const deedOf = (step: Step): string =>
  step.kind === 'pass' ? step.boundary : step.kind === 'heard' ? step.what : step.kind
