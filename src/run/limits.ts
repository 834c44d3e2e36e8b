import type { PlannedFault } from '../contract/api/plan.ts'
import { keptByText } from './kept-by-text.ts'

/**
 * Limits longer than this number of milliseconds are ignored: a retention of a day does not matter
 * for races between holders.
 */
const scaleMs = 600_000

const secondsAfter = new Set(['SETEX', 'EXPIRE'])
const unitMs = { millisecond: 1, second: 1000, minute: 60_000 }
const millisecondsAfter = new Set(['PSETEX', 'PEXPIRE'])

/** The intervals in a statement, in milliseconds. */
const intervalsOf = keptByText((sql): readonly number[] =>
  [...sql.matchAll(/(\d+)\s*(milliseconds?|seconds?|minutes?)\b/gi)].map(
    ([, count, unit]) => Number(count) * unitMs[unit!.toLowerCase().replace(/s$/, '') as keyof typeof unitMs],
  ),
)

/**
 * Collects the time limits that a layer sets: its lease, the expiry of its keys, its timers. Faults
 * last slightly shorter than, exactly as long as, or slightly longer than one of them, because that
 * is when two holders overlap.
 */
export class Limits {
  readonly #limitsMs: number[]

  /** `longestMs`: longer limits are ignored. */
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
   * Collects from a command of the layer: expiry options, and integers among the arguments of a
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
   * Collects from an SQL statement of the layer: intervals in its text, and integers among its
   * parameters.
   */
  noteStatement(sql: string, parameters: readonly (string | null)[]): void {
    for (const ms of intervalsOf(sql)) this.note(ms)
    for (const parameter of parameters) if (parameter !== null) this.#noteNumber(parameter)
  }

  /** Collects a number both as seconds and as milliseconds, because its unit is unknown. */
  #noteNumber(text: string): void {
    if (!/^[1-9]\d{0,5}$/.test(text)) return
    this.note(Number(text))
    this.note(Number(text) * 1000)
  }

  /** The limit with this index; the index is taken modulo the number of limits. */
  at(index: number): number {
    return this.#limitsMs[index % this.#limitsMs.length]!
  }

  /**
   * The fault with the duration that `near` stands for, computed when the fault strikes:
   * `healAfterMs`, or `extraMs` if the fault does not heal.
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
