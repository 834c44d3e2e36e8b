import type { RunHeader } from '../contract/api/history.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import type { JsonValue } from '../contract/api/json.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Scenario } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { redeliveryBoundMs } from './broker.ts'
import { faults } from './faults/index.ts'

/** What a layer may say of itself, and need not. */
const sayings = ['bindsProducedAt', 'maxClockSkewMs', 'answersWithinMs', 'deadLetterReasons'] as const
type Sayings = Pick<RunHeader, (typeof sayings)[number]>

/** What a layer and its scenario say that the layer is judged by. */
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

/** A layer is held to the bound that it declares; to the scenario's only where it declares none. */
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
 * Only what is said stands in a history, so that those of layers that say nothing of it are as they
 * were.
 */
function onlySaid(layer: Sayings): Sayings {
  return Object.fromEntries(sayings.flatMap((name) => (layer[name] === undefined ? [] : [[name, layer[name]]])))
}

/**
 * For how long after a message was first handed out the broker does not give up on it, whatever its
 * attempts.
 */
export function brokerGracePeriodMs({ recoveryBoundMs, recoveryBoundFrom }: JudgedBy): number {
  return recoveryBoundFrom === 'layer' ? 2 * recoveryBoundMs : 0
}

/**
 * For how long a run at rest goes on where a layer has accepted a message: as for a crash, by the
 * bound that it is held to.
 */
export function relayTimeoutUs({ recoveryBoundMs }: JudgedBy): number {
  return recoveryBoundMs * 1000
}

/**
 * A handler that was called, or met the last fault, so long ago hangs if nothing that it can wait
 * for is under way: longer than a crash may be waited out, and than the broker holds anything back.
 */
export function hangUs({ recoveryBoundMs }: JudgedBy, { visibilityMs }: Plan): number {
  return Math.max(120_000, recoveryBoundMs + redeliveryBoundMs, visibilityMs + redeliveryBoundMs) * 1000
}

/** What a history opens with: what ran, and the bounds that it is judged by. */
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
    // Other runs of the layer are as they were before it said so.
    ...(subject.withoutKey && plan.messages.some(({ keyless }) => keyless) && { withoutKey: subject.withoutKey }),
    faultFree: isCalm(plan),
    delays: delaysOf(plan.faults.map(({ kind }) => kind)),
    plan: plan as unknown as JsonValue,
  }
}

/** What faults of these kinds declare that they delay. */
export function delaysOf(kinds: readonly string[]): RunHeader['delays'] {
  const delaying = kinds.flatMap((kind) => {
    const { delays } = faults.get(kind) ?? { delays: 'none' }
    return delays === 'none' ? [] : [[kind, delays] as const]
  })
  return Object.fromEntries(delaying)
}

/**
 * Nothing befalls anybody: no fault, no produced-at time that is off, and handlers are done within
 * their lease. (One that outlives it may leave another consumer in doubt, as a pause does.)
 */
function isCalm({ faults, messages, work, effectMs, leaseMs }: Plan): boolean {
  const { beforeMs = 0, afterMs = 0 } = work ?? {}
  return (
    faults.length === 0 &&
    messages.every(({ stampOffMs = 0 }) => stampOffMs === 0) &&
    beforeMs + effectMs + afterMs < leaseMs
  )
}
