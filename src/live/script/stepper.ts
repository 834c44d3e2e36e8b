/**
 * Makes a run go by a script. What enters the conductor waits here until it is the script's next step, and no step is
 * sooner after the one before than it was there: what expired between two steps has expired here, too.
 */
import { type Draw, type LeftScript, type Script, type Step, withScriptLabels } from '../../contract/script.ts'
import type { MaybePromise } from '../../run/maybe-promise.ts'
import { isOfProcess, type Steps } from '../../run/steps.ts'

export interface StepperClock {
  nowMs(): number
  /** Answers how to take it back. */
  after(delayMs: number, work: () => void): () => void
}

export interface StepperOptions {
  /** How many of the steps are to be followed. */
  readonly until: number
  /** For how long a step that is due may fail to come, in milliseconds. */
  readonly patienceMs: number
  /** Hears of a step that is due and does not wait. */
  wanted(name: string): void
}

interface Waiting {
  readonly name: string
  release(): Promise<void>
}

export class Stepper implements Steps {
  /** The script's time, in microseconds. */
  nowUs: number
  /** Steps that were taken. */
  taken = 0
  #left: LeftScript | null = null
  readonly #waiting: Waiting[] = []
  /** What must be done before the next step. */
  readonly #holds = new Set<Promise<unknown>>()
  readonly #draws = new Map<string, Draw[]>()
  /** How often each name still comes in the script. */
  readonly #toCome = new Map<string, number>()
  #lastMs: number | null = null
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

  get left(): LeftScript | null {
    return this.#left
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

  /** What waited will not come any more: its connection has closed. */
  withdraw(given: string): void {
    const name = withScriptLabels(given, this.script)
    const at = this.#waiting.findIndex((one) => one.name === name)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** No further step is taken before it has settled. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#holds.delete(held))
    this.#holds.add(held)
  }

  /** Resolves when the steps were taken, or one of them was not. */
  async follow(): Promise<void> {
    for (const step of this.script.steps.slice(0, this.options.until)) {
      await this.#due(step)
      const waiting = await this.#coming(step)
      if (waiting === null) return
      this.nowUs = step.atUs
      this.#lastMs = this.clock.nowMs()
      this.#toCome.set(step.name, this.#toCome.get(step.name)! - 1)
      this.taken++
      await waiting.release()
      await this.#quiet()
    }
  }

  /** Not sooner after the last step than in the script. */
  async #due(step: Step): Promise<void> {
    if (this.#lastMs === null) return
    const leftMs = this.#lastMs + (step.atUs - this.nowUs) / 1000 - this.clock.nowMs()
    if (leftMs > 0) await this.#either(new Promise((resolve) => this.clock.after(leftMs, () => resolve(undefined))))
  }

  /** Settles with the work, or when the script was left. */
  #either(work: Promise<unknown>): Promise<unknown> {
    const left = new Promise((resolve) => {
      this.#look = () => this.#left !== null && resolve(undefined)
      this.#look()
    })
    return Promise.race([work, left])
  }

  /** Null where the run has left the script. */
  #coming(step: Step): Promise<Waiting | null> {
    return new Promise((resolve) => {
      const forget = this.clock.after(this.options.patienceMs, () => {
        this.#leave(this.#inPlaceOf(step))
      })
      const settle = (waiting: Waiting | null): void => {
        this.#look = () => {}
        forget()
        resolve(waiting)
      }
      this.#look = () => {
        if (this.#left !== null) return settle(null)
        const at = this.#waiting.findIndex(({ name }) => name === step.name)
        if (at >= 0) settle(this.#waiting.splice(at, 1)[0]!)
      }
      if (!this.#waiting.some(({ name }) => name === step.name)) this.options.wanted(step.name)
      this.#look()
    })
  }

  /** What waits of the process that should take the step; null where nothing does. */
  #inPlaceOf({ name }: Step): string | null {
    const [process] = name.split(' ', 1)
    const there = this.#waiting.map((one) => one.name).filter((one) => one.startsWith(`${process} `))
    return there.find(isOfProcess) ?? there[0] ?? null
  }

  /** All that the step has brought about at once is done: promises of the harness, and what is held for. */
  async #quiet(): Promise<void> {
    do {
      await Promise.all(this.#holds)
      await new Promise(setImmediate)
    } while (this.#holds.size > 0)
  }

  #leave(seen: string | null): void {
    if (this.#left !== null || this.taken >= this.options.until) return
    const expected = this.script.steps[this.taken]!.name
    this.#left = { step: this.taken + 1, expected, seen }
    this.#look()
  }
}
