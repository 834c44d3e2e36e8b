/** Counts who passes which boundary, and finds the faults that were planned for it; by the simulator's rules. */
import { type CrashPoint, crashPointName } from '../contract/crash-point.ts'
import type { Boundary, PlannedFault, Trigger } from '../contract/plan.ts'
import type { ConsumerProcess } from './consumer-process.ts'

/** Something that passes a boundary, and what faults make of it. */
export interface Passing {
  readonly process: ConsumerProcess
  readonly boundary: Boundary
  /** The command or script, where the boundary is one of those. */
  readonly label: string | null
  /** `refuse` and `fail`, at the sink: a definitive refusal, or an error that leaves the effect in doubt. */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** Added to the time that the sink works on an effect. */
  slowMs: number
}

export interface Armed {
  readonly index: number
  readonly fault: PlannedFault
}

type BoundaryTrigger = Extract<Trigger, { consumer: number }>

export class LiveBoundaries {
  readonly #counts = new Map<string, number>()
  readonly #newCounts = new Map<Boundary, number>()
  /** Names of the crash points that were passed, and of those at which a crash struck. */
  readonly passed = new Set<string>()
  readonly struck = new Set<string>()

  constructor(
    private readonly faults: readonly Armed[],
    private readonly leaseMs: number,
  ) {}

  /** Whether some fault is planned for a boundary of a command that this slot passes. */
  watchesCommands(slot: number): boolean {
    return this.faults.some(
      ({ fault: { when, aim } }) =>
        (when.at.startsWith('command-') || when.at === 'reply-received') &&
        (aim === 'new-crash-points' || (when as BoundaryTrigger).consumer === slot),
    )
  }

  /** `ageMs`: how long the process has been handling its oldest delivery. */
  pass(slot: number, boundary: Boundary, label: string | null, ageMs: number): { name: string; armed: Armed[] } {
    const lease: CrashPoint['lease'] = ageMs > this.leaseMs ? 'expired' : 'live'
    const name = crashPointName({ boundary, label, lease })
    const isNew = !this.passed.has(name)
    this.passed.add(name)
    const count = (this.#counts.get(`${slot} ${boundary}`) ?? 0) + 1
    this.#counts.set(`${slot} ${boundary}`, count)
    const newCount = (this.#newCounts.get(boundary) ?? 0) + (isNew ? 1 : 0)
    this.#newCounts.set(boundary, newCount)
    const armed = this.faults.filter(({ fault: { when, aim } }) => {
      if (when.at === 'time' || when.at !== boundary) return false
      return aim === 'new-crash-points' ? isNew && when.nth === newCount : when.consumer === slot && when.nth === count
    })
    return { name, armed }
  }
}

/** Where a fault struck, for its sentence. */
export function whereText(passing: Passing | null): string {
  if (passing === null) return ''
  const label = passing.label ?? ''
  const texts: Record<Boundary, string> = {
    'delivery-received': ' as it receives a delivery',
    'command-unsent': ` before it sends ${label}`,
    'command-unexecuted': ` before its ${label} is executed`,
    'command-executed': ` after its ${label} executed, before it hears of it`,
    'reply-received': ` as the reply to its ${label} comes back`,
    'effect-unsent': ' just before it sends the effect',
    'effect-unapplied': ' before its effect is applied',
    'effect-applied': ' after its effect was applied, before it hears of it',
    'effect-answered': " as the sink's answer comes back",
    answered: ' as it answers the broker',
    acknowledged: ' after its answer reached the broker',
  }
  return texts[passing.boundary]
}
