import type { PlannedFault } from '../contract/api/plan.ts'
import { keptByText } from './kept-by-text.ts'

/**
 * Longer ones (a day's retention) are not the scale on which holders and takers miss each other.
 */
const scaleMs = 600_000

const secondsAfter = new Set(['SETEX', 'EXPIRE'])
const unitMs = { millisecond: 1, second: 1000, minute: 60_000 }
const millisecondsAfter = new Set(['PSETEX', 'PEXPIRE'])

/** In milliseconds. */
const intervalsOf = keptByText((sql): readonly number[] =>
  [...sql.matchAll(/(\d+)\s*(milliseconds?|seconds?|minutes?)\b/gi)].map(
    ([, count, unit]) => Number(count) * unitMs[unit!.toLowerCase().replace(/s$/, '') as keyof typeof unitMs],
  ),
)

/**
 * The time limits that a layer sets itself, noted as it sets them: its lease, the expiry that it
 * gives to keys, its timers. Faults last just under, exactly as long as, and just over them: there
 * two holders meet.
 */
export class Limits {
  readonly #limitsMs: number[]

  /** `longestMs`: a longer limit is not noted. */
  constructor(
    leaseMs: number,
    private readonly longestMs = scaleMs,
  ) {
    this.#limitsMs = [leaseMs]
  }

  note(ms: number): void {
    if (ms >= 20 && ms <= this.longestMs && Number.isInteger(ms) && !this.#limitsMs.includes(ms))
      this.#limitsMs.push(ms)
  }

  /**
   * A command that the layer sends: expiry options, and whole numbers among the arguments of a
   * script.
   */
  noteCommand(args: readonly string[]): void {
    const name = args[0]!.toUpperCase()
    if (name.startsWith('EVAL')) {
      for (let at = 3 + Number(args[2]); at < args.length; at++) this.#noteNumber(args[at]!)
      return
    }
    if (secondsAfter.has(name)) this.note(Number(args[2]) * 1000)
    if (millisecondsAfter.has(name)) this.note(Number(args[2]))
    for (let at = 2; at + 1 < args.length; at++) {
      const option = args[at]!.slice(0, 3).toUpperCase()
      if (option === 'EX') this.note(Number(args[at + 1]) * 1000)
      else if (option === 'PX') this.note(Number(args[at + 1]))
    }
  }

  /**
   * An SQL statement that the layer sends: intervals in its text, and whole numbers among its
   * parameters.
   */
  noteStatement(sql: string, parameters: readonly (string | null)[]): void {
    for (const ms of intervalsOf(sql)) this.note(ms)
    for (const parameter of parameters) if (parameter !== null) this.#noteNumber(parameter)
  }

  /** A script's argument may be seconds or milliseconds; both are worth a try. */
  #noteNumber(text: string): void {
    if (!/^[1-9]\d{0,5}$/.test(text)) return
    this.note(Number(text))
    this.note(Number(text) * 1000)
  }

  /** The limit of that number; numbers beyond the last start again with the first. */
  at(index: number): number {
    return this.#limitsMs[index % this.#limitsMs.length]!
  }

  /**
   * A duration that was drawn as "near a limit of the layer" is fixed when the fault strikes: how
   * long until it heals, or, where nothing heals, how much longer something takes.
   */
  fixed(fault: PlannedFault): PlannedFault {
    const { near } = fault
    if (near === undefined) return fault
    const ms = Math.max(1, this.at(near.limit) + near.byMs)
    return fault.healAfterMs === undefined && fault.extraMs !== undefined
      ? { ...fault, extraMs: ms }
      : { ...fault, healAfterMs: ms }
  }
}
