import type { Boundary } from '../contract/api/plan.ts'
import type { BoundaryEvent } from './boundary-event.ts'

/** The progress of one attempt. */
interface Attempt {
  readonly delivery: number
  /** Commands that the attempt has sent and that were not executed yet. */
  readonly sent: string[]
  /** The last command that was executed; null if none was. */
  last: string | null
  /** The kinds of faults that have struck since the last command was executed. */
  readonly struck: Set<string>
}

const sends: ReadonlySet<Boundary> = new Set(['command-unsent', 'effect-unsent'])
const has: ReadonlySet<Boundary> = new Set(['command-executed', 'effect-applied'])
const will: ReadonlySet<Boundary> = new Set([
  'command-unsent',
  'command-unexecuted',
  'effect-unsent',
  'effect-unapplied',
])

/**
 * The pairs of neighboring commands of one run, and the kinds of faults that struck between the
 * two. A request to the sink counts as a command. While a process handles several deliveries, no
 * pairs are counted, because a boundary does not show to which delivery a command belongs.
 */
export class Neighbours {
  /** The pairs, for example `GET → SET`. */
  readonly pairs = new Set<string>()
  /**
   * The pairs with a fault between the two commands, for example `pause: GET → SET`. `crash: GET →
   * `: the process crashed and the next command is not known.
   */
  readonly separated = new Set<string>()
  /** The current attempts, by process. */
  readonly #attempts = new Map<string, Attempt>()

  /**
   * Called at each boundary. `delivery`: the only delivery of the process; null if there is not
   * exactly one.
   */
  pass(process: string, delivery: number | null, boundary: Boundary, label: string | null): void {
    if (boundary === 'answered' || delivery === null) this.#attempts.delete(process)
    if (delivery === null) return
    const name = label ?? 'the effect'
    if (sends.has(boundary)) this.#attemptOf(process, delivery).sent.push(name)
    if (!has.has(boundary)) return
    // Commands of an earlier delivery may be executed now; they are ignored.
    const attempt = this.#attemptOf(process, delivery)
    const at = attempt.sent.indexOf(name)
    if (at < 0) return
    attempt.sent.splice(at, 1)
    if (attempt.last !== null) {
      const pair = pairOf(attempt.last, name)
      this.pairs.add(pair)
      for (const kind of attempt.struck) this.separated.add(`${kind}: ${pair}`)
    }
    attempt.struck.clear()
    attempt.last = name
  }

  #attemptOf(process: string, delivery: number): Attempt {
    let attempt = this.#attempts.get(process)
    if (attempt?.delivery !== delivery)
      this.#attempts.set(process, (attempt = { delivery, sent: [], last: null, struck: new Set() }))
    return attempt
  }

  /** Called when a fault strikes. `process`: the process that it struck, if any. */
  struck(kind: string, event: BoundaryEvent | null, process = event?.process.name): void {
    for (const [name, attempt] of this.#attempts) {
      if (process !== undefined && process !== name) continue
      attempt.struck.add(kind)
      if (kind !== 'crash') continue
      this.#attempts.delete(name)
      if (attempt.last === null) continue
      const next = event !== null && will.has(event.boundary) ? (event.label ?? 'the effect') : ''
      if (next !== '') this.pairs.add(pairOf(attempt.last, next))
      this.separated.add(`${kind}: ${pairOf(attempt.last, next)}`)
    }
  }
}

const pairOf = (first: string, second: string): string => `${first} → ${second}`
