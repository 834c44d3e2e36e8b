import type { RunHeader } from '../contract/api/history.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Scenario } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { redeliveryBoundMs } from './broker.ts'
import { faults } from './faults/index.ts'

/** The names of optional declarations of a layer. */
const sayings = ['bindsProducedAt', 'maxClockSkewMs', 'answersWithinMs', 'deadLetterReasons'] as const
type Sayings = Pick<RunHeader, (typeof sayings)[number]>

/** The declarations of a layer and its scenario on which verdicts depend. */
export interface JudgedBy
  extends Sayings,
    Pick<
      RunHeader,
      'recoveryBoundMs' | 'recoveryBoundFrom' | 'recoveryCapMs' | 'lacks' | 'leavesNoDoubtOn' | 'withoutKey'
    > {}

interface RunSubject extends JudgedBy {
  readonly scenario: string
  readonly implementation: string
  readonly sink: SinkKind
}

/**
 * Collects the declarations on which verdicts depend. The recovery bound is the layer's, or the
 * scenario's if the layer declares none.
 */
export function judgedBy(
  layer: Pick<Implementation, 'recoveryBoundMs' | 'lacks' | 'leavesNoDoubtOn' | 'withoutKey' | keyof Sayings>,
  { recoveryCapMs }: Pick<Scenario, 'recoveryCapMs'>,
): JudgedBy {
  const { recoveryBoundMs, lacks = [], leavesNoDoubtOn = [], withoutKey } = layer
  return {
    recoveryBoundMs: recoveryBoundMs ?? recoveryCapMs,
    recoveryBoundFrom: recoveryBoundMs === undefined ? 'scenario' : 'layer',
    recoveryCapMs,
    lacks,
    leavesNoDoubtOn,
    ...onlySaid(layer),
    ...(withoutKey && { withoutKey }),
  }
}

/**
 * Omits undeclared members, so that earlier histories of layers without these declarations do not
 * change.
 */
function onlySaid(layer: Sayings): Sayings {
  return Object.fromEntries(sayings.flatMap((name) => (layer[name] === undefined ? [] : [[name, layer[name]]])))
}

/**
 * The minimum time in milliseconds from the first delivery of a message until the broker gives up
 * on it, regardless of the number of attempts.
 */
export function brokerGracePeriodMs({ recoveryBoundMs, recoveryBoundFrom }: JudgedBy): number {
  return recoveryBoundFrom === 'layer' ? 2 * recoveryBoundMs : 0
}

/**
 * How long a run at rest continues if a layer has answered `accepted`, in microseconds: the layer's
 * recovery bound.
 */
export function relayTimeoutUs({ recoveryBoundMs }: JudgedBy): number {
  return recoveryBoundMs * 1000
}

/**
 * A handler hangs if both its call and the last fault are longer ago than this, and nothing that it
 * could wait for is in progress. The time is longer than the recovery after a crash, and than any
 * delay of the broker. In microseconds.
 */
export function hangUs({ recoveryBoundMs }: JudgedBy, { visibilityMs }: Plan): number {
  return Math.max(120_000, recoveryBoundMs + redeliveryBoundMs, visibilityMs + redeliveryBoundMs) * 1000
}

/**
 * The header of a history: the layer, the scenario and the plan, and the bounds on which verdicts
 * depend.
 */
export function headerOf(subject: RunSubject, plan: Plan): RunHeader {
  return {
    scenario: subject.scenario,
    implementation: subject.implementation,
    sink: subject.sink,
    leaseMs: plan.leaseMs,
    retentionMs: plan.retentionMs,
    visibilityMs: plan.visibilityMs,
    redeliveryMs: redeliveryBoundMs,
    recoveryBoundMs: subject.recoveryBoundMs,
    recoveryBoundFrom: subject.recoveryBoundFrom,
    recoveryCapMs: subject.recoveryCapMs,
    lacks: subject.lacks,
    leavesNoDoubtOn: subject.leavesNoDoubtOn,
    ...onlySaid(subject),
    // `withoutKey` is only present if the plan has keyless messages, so that the headers of other
    // runs do not change.
    ...(subject.withoutKey && plan.messages.some(({ keyless }) => keyless) && { withoutKey: subject.withoutKey }),
    faultFree: isCalm(plan),
    delays: delaysOf(plan.faults.map(({ kind }) => kind)),
    plan: plan as unknown as JsonValue,
  }
}

/** The delays that faults of these kinds declare. */
export function delaysOf(kinds: readonly string[]): RunHeader['delays'] {
  const delaying = kinds.flatMap((kind) => {
    const { delays } = faults.get(kind) ?? { delays: 'none' }
    return delays === 'none' ? [] : [[kind, delays] as const]
  })
  return Object.fromEntries(delaying)
}

/**
 * True if the plan has no fault and no produced-at time that is off, and handlers end within their
 * lease. (A handler that outlives its lease may leave another consumer in doubt, as a pause may.)
 */
function isCalm({ faults, messages, work, effectMs, leaseMs }: Plan): boolean {
  const { beforeMs = 0, afterMs = 0 } = work ?? {}
  return (
    faults.length === 0 &&
    messages.every(({ stampOffMs = 0 }) => stampOffMs === 0) &&
    beforeMs + effectMs + afterMs < leaseMs
  )
}
