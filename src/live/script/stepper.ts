/**
 * Makes a run go by a script. What enters the conductor waits here until it is the script's next step. From the beginning of
 * the plan's time on, no step is taken sooner than it was there; what a busy machine took longer is made up for as soon as
 * that can be, so that what had not expired there has time left here. What had expired there is waited for by Redis's own
 * clock.
 */
import { type Draw, type LeftScript, type Script, type Step, withScriptLabels } from '../../contract/script.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import { beginName, hungUpName, isOfProcess, type Steps } from '../../run/steps.ts'
import type { OwnTimer, OwnTimers } from './own-timers.ts'
import type { Rest } from './rest.ts'

export interface StepperClock {
  nowMs(): number
  /** Answers how to take it back. */
  after(delayMs: number, work: () => void): () => void
}

export interface StepperOptions {
  /** How many of the steps are to be followed. */
  readonly until: number
  /** For how long a step that is due may fail to come where nobody knows whether it still can, in milliseconds. */
  readonly patienceMs: number
  /** Hears of a step that is due and does not wait. */
  wanted(name: string): void
  /** Resolves when these Redis keys have expired in earnest. */
  expiryOf(keys: readonly string[]): Promise<void>
  /** Of the processes: they wait for their time in the script, too. */
  readonly timers: Pick<OwnTimers, 'first' | 'digested'>
  readonly rest: Pick<Rest, 'of'>
}

/** What an expiry may be later in earnest, beside the lateness of the run: a look at it, its ticks and the way there. */
const expiryMs = 50

/** What a process at rest had sent before may still be on its way to the conductor, for no longer than this. */
const onItsWayMs = 2_000

interface Waiting {
  name: string
  release(): Promise<void>
}

export class Stepper implements Steps {
  /** The script's time, in microseconds; later than a step's own where it was brought about later. */
  nowUs: number
  /** Steps that were taken. */
  taken = 0
  /** Where the script was left; null while it is followed. */
  left: LeftScript | null = null
  readonly #waiting: Waiting[] = []
  /** What must be done before the next step. */
  readonly #holds = new Set<Promise<unknown>>()
  readonly #draws = new Map<string, Draw[]>()
  /** How often each name still comes in the script. */
  readonly #toCome = new Map<string, number>()
  /** A time of the script, and when it was here. */
  #anchor: { readonly atUs: number; readonly ms: number } | null = null
  #began = false
  /** By how much the run was behind its script at most, in milliseconds, since the plan's time began. */
  lateMs = 0
  /** Is called when something has come, or the script was left. */
  #look: () => void = () => {}

  constructor(
    private readonly script: Script,
    private readonly clock: StepperClock,
    private readonly options: StepperOptions,
  ) {
    this.nowUs = script.steps[0]?.atUs ?? 0
    for (const { name } of script.steps) this.#toCome.set(name, (this.#toCome.get(name) ?? 0) + 1)
    for (const draw of script.draws) this.#draws.set(draw.stream, [...(this.#draws.get(draw.stream) ?? []), draw])
  }

  /** Whether such a step is still to come. */
  expects(name: string): boolean {
    return (this.#toCome.get(name) ?? 0) > 0
  }

  /** The number that was drawn there. Beyond the script's own, the calmest. */
  chance(stream: string, what: string, n: number): number {
    const next = this.#draws.get(stream)?.shift()
    return next?.what === what && next.n === n ? next.chosen : 0
  }

  /** Never settles for a step that is not taken. */
  take<T>(given: string, work: () => MaybePromise<T>): Promise<T> {
    const name = withScriptLabels(given, this.script)
    return new Promise<T>((resolve, reject) => {
      const alike = this.#waiting.filter((one) => one.name === name).length
      if (isOfProcess(name) && (this.#toCome.get(name) ?? 0) <= alike) this.#leave(name)
      const release = async (): Promise<void> => {
        const done = new Promise<T>((settle) => settle(work()))
        done.then(resolve, reject)
        await done.catch(() => {})
      }
      this.#waiting.push({ name, release })
      this.#look()
    })
  }

  /** What waited will not come any more. */
  withdraw(given: string): void {
    const name = withScriptLabels(given, this.script)
    const at = this.#waiting.findIndex((one) => one.name === name)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /**
   * The process has closed the connection on which it waited: what had left for Redis is still executed where the script has
   * it so. Where it has not, it will not come any more.
   */
  hangUp(given: string): void {
    const name = withScriptLabels(given, this.script)
    const hungUp = hungUpName(name)
    const before = this.#waiting.filter((one) => one.name === hungUp).length
    const waiting = this.#waiting.find((one) => one.name === name)
    if (waiting === undefined || (this.#toCome.get(hungUp) ?? 0) <= before) return this.withdraw(given)
    waiting.name = hungUp
    this.#look()
  }

  /** No further step is taken before it has settled. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#holds.delete(held))
    this.#holds.add(held)
  }

  /** A timer of a process was started or cleared. */
  changed(): void {
    this.#look()
  }

  /** When it is that time of the script, in milliseconds of the clock; until the plan's time begins, it is as late as the run. */
  get nowMs(): number {
    return this.#anchor === null ? this.clock.nowMs() : this.#anchor.ms + (this.nowUs - this.#anchor.atUs) / 1000
  }

  /** The script's time between two steps: it goes on as time does, and not beyond the next step. */
  get betweenUs(): number {
    const next = this.script.steps[this.taken]
    if (next === undefined) return this.nowUs
    return Math.max(this.nowUs, next.atUs - Math.max(0, this.#leftMs(next.atUs)) * 1000)
  }

  /** Resolves when the steps were taken, or one of them was not. */
  async follow(): Promise<void> {
    for (const step of this.script.steps.slice(0, this.options.until)) {
      const waiting = await this.#next(step)
      if (waiting === null) return
      if (!(await this.#haveExpired(step))) return
      this.#goOn(step)
      this.#toCome.set(step.name, this.#toCome.get(step.name)! - 1)
      this.taken++
      await waiting.release()
      await this.#quiet()
    }
  }

  /**
   * Comes to the step, when it is time for it, with the timers that are due before it. Null where the run has left the
   * script: the step has not come, and its process is at rest.
   */
  async #next(step: Step): Promise<Waiting | null> {
    let sinceMs: number | null = null
    let wanted = false
    let restsSinceMs: number | null = null
    for (;;) {
      if (this.left !== null) return null
      const nowMs = this.clock.nowMs()
      const at = this.#waiting.findIndex(({ name }) => name === step.name)
      const timer = this.#timerBefore(step, at >= 0)
      const leftMs = this.#leftMs(timer === null ? step.atUs : Math.min(timer.dueUs, step.atUs))
      if (leftMs > 0) {
        await this.#wake(leftMs)
        continue
      }
      if (timer !== null) {
        sinceMs = null
        restsSinceMs = null
        await this.#fire(timer, Math.min(timer.dueUs, step.atUs))
        continue
      }
      if (at >= 0) return this.#waiting.splice(at, 1)[0]!
      sinceMs ??= nowMs
      const patienceMs = this.options.patienceMs - (nowMs - sinceMs)
      const later = restsSinceMs === null ? null : this.#laterTimer(step, patienceMs)
      const arrivesMs = restsSinceMs === null ? patienceMs : restsSinceMs + onItsWayMs - nowMs
      if (patienceMs <= 0) this.#leave(this.#inPlaceOf(step))
      else if (later !== null) {
        const leftMs = this.#leftMs(later.atUs)
        if (leftMs > 0) await this.#wake(leftMs)
        else {
          restsSinceMs = null
          await this.#fire(later.timer, later.atUs)
        }
      } else if (arrivesMs <= 0) this.#leave(this.#inPlaceOf(step))
      else if (restsSinceMs !== null) await this.#wake(Math.min(patienceMs, arrivesMs))
      else {
        this.nowUs = Math.max(this.nowUs, step.atUs)
        if (!wanted) this.options.wanted(step.name)
        wanted = true
        if (await this.#comesToRest(step, patienceMs)) restsSinceMs = this.clock.nowMs()
      }
    }
  }

  /** Whether nothing more comes of the step's process by itself. False where something has come, or time has passed. */
  async #comesToRest(step: Step, patienceMs: number): Promise<boolean> {
    let rests = false
    void this.options.rest.of(processOf(step)).then(() => {
      rests = true
      this.#look()
    })
    await this.#wake(patienceMs)
    return rests
  }

  /** One that is due before the step. At the same time the step comes first if it waits, and otherwise the timer, which may be what brings it about. */
  #timerBefore(step: Step, waits: boolean): OwnTimer | null {
    const first = this.options.timers.first()
    return first !== null && (first.dueUs < step.atUs || (first.dueUs === step.atUs && !waits)) ? first : null
  }

  /**
   * The next timer of a process that is at rest, where its step has not come: nothing else can bring it about. It may be due
   * later than in the script: clients draw how long they wait before they connect again, and a delay that Redis has told is
   * longer by as much as the run is late. Null where it is due later than anybody waits for.
   */
  #laterTimer(step: Step, patienceMs: number): { readonly timer: OwnTimer; readonly atUs: number } | null {
    const timer = this.options.timers.first(processOf(step))
    if (timer === null) return null
    const atUs = Math.max(step.atUs, timer.earliestUs - this.lateMs * 1000)
    return this.#leftMs(atUs) > patienceMs ? null : { timer, atUs }
  }

  async #fire(timer: OwnTimer, atUs: number): Promise<void> {
    this.nowUs = Math.max(this.nowUs, atUs)
    timer.fire()
    await this.#quiet()
  }

  /**
   * Waits until what had expired in the script has expired in earnest: as much later as the run has ever been, since what set
   * it may have been so late. False where it lives on: there Redis keeps it for longer than the simulator did.
   */
  async #haveExpired({ expired }: Step): Promise<boolean> {
    if (expired.length === 0) return true
    let forget = (): void => {}
    const longer = new Promise<boolean>((resolve) => {
      forget = this.clock.after(this.lateMs + expiryMs, () => resolve(false))
    })
    const inTime = await Promise.race([this.options.expiryOf(expired).then(() => true), longer])
    forget()
    if (!inTime) this.#leave(`${expired.join(', ')} had not expired`)
    return inTime
  }

  #goOn({ atUs, name }: Step): void {
    if (this.#began) this.lateMs = Math.max(this.lateMs, -this.#leftMs(atUs))
    else this.#anchor = { atUs, ms: this.clock.nowMs() }
    if (name === beginName) this.#began = true
    this.nowUs = Math.max(this.nowUs, atUs)
  }

  /** How long until then, as time goes in the script; negative where the run is late. */
  #leftMs(atUs: number): number {
    return this.#anchor === null ? 0 : this.#anchor.ms + (atUs - this.#anchor.atUs) / 1000 - this.clock.nowMs()
  }

  /** Resolves after that time, or sooner: when something has come, a timer has changed or the script was left. */
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

  /** What waits of the process in the step's place; null where nothing does, but for what it comes to by itself later. */
  #inPlaceOf(step: Step): string | null {
    const there = this.#waiting.map((one) => one.name).filter((one) => one.startsWith(`${processOf(step)} `))
    const [, boundary] = step.name.split(' ', 2)
    return there.find(isOfProcess) ?? there.find((one) => one.split(' ', 2)[1] === boundary) ?? null
  }

  /** All that the step has brought about at once is done: promises of the harness, what is held for, and in processes. */
  async #quiet(): Promise<void> {
    let forget = (): void => {}
    const patience = new Promise<void>((resolve) => {
      forget = this.clock.after(this.options.patienceMs, () => {
        const next = this.script.steps[this.taken]
        if (next !== undefined) this.#leave(this.#inPlaceOf(next))
        resolve()
      })
    })
    await Promise.race([this.#settled(), patience])
    forget()
  }

  async #settled(): Promise<void> {
    do {
      await Promise.all(this.#holds)
      await new Promise(setImmediate)
      await this.options.timers.digested()
    } while (this.#holds.size > 0)
  }

  #leave(seen: string | null): void {
    if (this.left !== null || this.taken >= this.options.until) return
    const expected = this.script.steps[this.taken]!.name
    this.left = { step: this.taken + 1, expected, seen }
    this.#look()
  }
}

const processOf = ({ name }: Step): string => name.split(' ', 1)[0]!
