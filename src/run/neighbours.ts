import type { Boundary } from '../contract/api/plan.ts'
import type { BoundaryEvent } from './boundary-event.ts'

/** How far an attempt is. */
interface Attempt {
  readonly process: string
  /** What it did last. */
  last: string
  /** The kinds of faults that have struck since then. */
  readonly struck: Set<string>
}

const has: ReadonlySet<Boundary> = new Set(['command-executed', 'effect-applied'])
const will: ReadonlySet<Boundary> = new Set([
  'command-unsent',
  'command-unexecuted',
  'effect-unsent',
  'effect-unapplied',
])

/**
 * The pairs of neighboring commands that one run had, and the kinds of faults that struck between
 * the two. A request to the sink is a command here. While a process handles several deliveries, it
 * has no pairs: boundaries do not say to which delivery a command belongs.
 */
export class Neighbours {
  /** `GET → SET`. */
  readonly pairs = new Set<string>()
  /** `pause: GET → SET`; `crash: GET → `, if the process has ended and no command is next. */
  readonly separated = new Set<string>()
  /** By delivery. */
  readonly #attempts = new Map<number, Attempt>()

  pass(process: string, delivery: number, boundary: Boundary, label: string | null): void {
    if (boundary === 'answered') this.#attempts.delete(delivery)
    if (!has.has(boundary)) return
    const name = label ?? 'the effect'
    const attempt = this.#attempts.get(delivery)
    if (attempt === undefined) {
      this.#attempts.set(delivery, { process, last: name, struck: new Set() })
      return
    }
    const pair = pairOf(attempt.last, name)
    this.pairs.add(pair)
    for (const kind of attempt.struck) this.separated.add(`${kind}: ${pair}`)
    attempt.struck.clear()
    attempt.last = name
  }

  /** `process`: the one that it struck, if it struck one. */
  struck(kind: string, event: BoundaryEvent | null, process = event?.process.name): void {
    for (const [delivery, attempt] of this.#attempts) {
      if (process !== undefined && process !== attempt.process) continue
      attempt.struck.add(kind)
      if (kind !== 'crash') continue
      this.#attempts.delete(delivery)
      const next = event !== null && will.has(event.boundary) ? (event.label ?? 'the effect') : ''
      if (next !== '') this.pairs.add(pairOf(attempt.last, next))
      this.separated.add(`${kind}: ${pairOf(attempt.last, next)}`)
    }
  }
}

const pairOf = (first: string, second: string): string => `${first} → ${second}`
