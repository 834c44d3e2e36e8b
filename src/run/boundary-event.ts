import type { Boundary } from '../contract/api/plan.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { ProcessRef } from './process-ref.ts'

/** What faults have decided about a step that passes a boundary. */
export interface Decision {
  /**
   * `drop`: the step goes no further. `refuse` and `fail` are only for requests to the sink: the
   * sink answers with a definitive refusal, or with an error that leaves the effect in doubt.
   */
  verdict: 'pass' | 'drop' | 'refuse' | 'fail'
  /** The store replies with this error instead of executing the command. */
  error: string | null
  /** Added to the time that the sink works on an effect, in microseconds. */
  slowUs: number
}

/** A step of a process that passes a boundary, with the decision about it so far. */
export interface BoundaryEvent extends Decision {
  /** The process of the step, which may have ended since. */
  readonly process: ProcessRef
  readonly slot: number
  readonly boundary: Boundary
  /** The label of the command or script, if the boundary is about one. */
  readonly label: string | null
}

/** The default decision. */
export const untouched: Decision = Object.freeze({ verdict: 'pass', error: null, slowUs: 0 })

type Change = Exclude<Decision['verdict'], 'pass'> | 'error' | 'slowUs'

/**
 * The changes of a decision that the hosts carry out at each boundary. Hosts ignore all other
 * changes.
 */
const carriedOut: Readonly<Record<Boundary, readonly Change[]>> = {
  'delivery-received': ['drop'],
  'command-unsent': ['drop'],
  'command-unexecuted': ['drop', 'error'],
  'command-executed': ['drop'],
  'reply-received': ['drop'],
  'effect-unsent': ['drop'],
  'effect-unapplied': ['drop', 'refuse', 'fail', 'slowUs'],
  'effect-applied': ['drop', 'fail'],
  'effect-answered': ['drop'],
  answered: ['drop'],
  acknowledged: [],
}

/** False if the decision has a change that would have no effect at its boundary. */
export function isCarriedOut({ boundary, verdict, error, slowUs }: BoundaryEvent, sink: SinkKind): boolean {
  // Before the statement of an effect that is a row, the harness answers instead of the sink.
  const onRows: readonly Change[] = boundary === 'effect-unsent' && sink === 'transactional' ? ['refuse', 'fail'] : []
  const possible = [...carriedOut[boundary], ...onRows]
  return (
    (verdict === 'pass' || possible.includes(verdict)) &&
    (error === null || possible.includes('error')) &&
    (slowUs === 0 || possible.includes('slowUs'))
  )
}
