/** Checks that the clock of a process shows the requested time while a fault shifts it. */
import type { ClockShift } from '../host/clocks.ts'
import { monotonicMs } from '../host/monotonic.ts'
import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Looked } from './looks.ts'

/** The tolerance, because both clocks and control files have whole milliseconds. */
const toleranceMs = 3

export class ClockWatch {
  /** The shifts that the process was sent, in order. */
  readonly #reported: ClockShift[] = []
  #agreed = false
  #differs: number | null = null

  /** `originMs`: the wall clock's time when the monotonic clock was 0. */
  constructor(
    private readonly whose: string,
    private readonly originMs = measuredOriginMs(),
  ) {}

  readonly report = (shift: ClockShift): void => void this.#reported.push(shift)

  /**
   * Must be called when the process is asked for the time. Returns a function that takes the
   * answer. A shift that is set before the answer may or may not apply to it.
   */
  ask(): (looked: Looked) => void {
    const first = this.#reported.length - 1
    return ({ wallMs, fromMs, toMs }) => {
      const walls = this.#reported
        .slice(first)
        .flatMap((shift) => [this.#wallAt(fromMs, shift), this.#wallAt(toMs, shift)])
      const offMs = Math.max(Math.min(...walls) - wallMs, wallMs - Math.max(...walls))
      if (offMs <= toleranceMs) this.#agreed = true
      else this.#differs ??= offMs
    }
  }

  #wallAt(atMs: number, { offsetMs, frozenAtMs }: ClockShift): number {
    return frozenAtMs ?? this.originMs + atMs + offsetMs
  }

  get seen(): Seen {
    if (this.#differs !== null)
      return refuted(`the clock of ${this.whose} is ${Math.round(this.#differs)} ms off the requested time`)
    return this.#agreed ? seen : unseen(`no process ran on ${this.whose} meanwhile`)
  }
}

/**
 * The wall clock's time when the monotonic clock was 0. It is measured several times, because this
 * process may be preempted between two readings.
 */
function measuredOriginMs(): number {
  return Math.max(...Array.from({ length: 20 }, () => Date.now() - monotonicMs()))
}
