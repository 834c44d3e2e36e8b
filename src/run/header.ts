import type { RunHeader } from '../contract/api/history.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Scenario } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { redeliveryBoundMs } from './broker.ts'
import { faults } from './faults/index.ts'

/** Optional declarations of a layer. */
const sayings = ['bindsProducedAt', 'maxClockSkewMs', 'answersWithinMs', 'deadLetterReasons'] as const
type Sayings = Pick<RunHeader, (typeof sayings)[number]>

/** The declarations of a layer and its scenario that the layer is judged by. */
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

/** A layer is judged by the bound that it declares; if it declares none, by the scenario's. */
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
 * How long the broker must not give up on a message after its first delivery, whatever its
 * attempts, in milliseconds.
 */
export function brokerGracePeriodMs({ recoveryBoundMs, recoveryBoundFrom }: JudgedBy): number {
  return recoveryBoundFrom === 'layer' ? 2 * recoveryBoundMs : 0
}

/**
 * How long a run at rest continues if a layer has accepted a message: the recovery bound that also
 * applies after a crash, in microseconds.
 */
export function relayTimeoutUs({ recoveryBoundMs }: JudgedBy): number {
  return recoveryBoundMs * 1000
}

/**
 * A handler hangs if its call and the last fault are both longer ago than this, and nothing that it
 * could wait for is in progress. The time is longer than the recovery after a crash, and than any
 * delay of the broker. In microseconds.
 */
export function hangUs({ recoveryBoundMs }: JudgedBy, { visibilityMs }: Plan): number {
  return Math.max(120_000, recoveryBoundMs + redeliveryBoundMs, visibilityMs + redeliveryBoundMs) * 1000
}

/** The header of a history: what ran, and the bounds for its verdicts. */
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
    // Only if the plan has keyless messages, so that headers of other runs do not change.
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
 * True if nothing goes wrong: no fault, no produced-at time that is off, and handlers end within
 * their lease. (A handler that outlives its lease may leave another consumer in doubt, as a pause
 * does.)
 */
function isCalm({ faults, messages, work, effectMs, leaseMs }: Plan): boolean {
  const { beforeMs = 0, afterMs = 0 } = work ?? {}
  return (
    faults.length === 0 &&
    messages.every(({ stampOffMs = 0 }) => stampOffMs === 0) &&
    beforeMs + effectMs + afterMs < leaseMs
  )
}
