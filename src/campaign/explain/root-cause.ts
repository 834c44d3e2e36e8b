/**
 * Groups violations of a layer by the change that the layer needs, or by the risk that the layer
 * would have to accept. The root cause that is most likely to happen in production comes first
 * (docs/how-it-works/root-causes.md).
 */
import { changes, remedyOf } from '../../check/remedies.ts'
import type { RiskName } from '../../contract/api/risk.ts'
import { severity } from '../../contract/api/severity.ts'
import type { Counterexample } from '../play/executor.ts'
import { triggerRank } from './trigger-rank.ts'

/** The change that prevents a violation. */
export interface RootOf {
  /**
   * A name that is stable over seeds, runs and edits of the layer. Unique within one layer and
   * sink.
   */
  readonly name: string
  /** What happens without the change. */
  readonly title: string
  /** The change. */
  readonly fix: string | null
  /** The assumption about the environment without which the layer breaks. */
  readonly assumes?: RiskName
}

export type Rooted = Pick<Counterexample, 'cause' | 'why' | 'acceptable'>

type Texts = readonly [title: string, fix: string]

/** The name and texts of each risk. Risks with the same name form one root cause. */
const ofRisks: Readonly<Record<RiskName, readonly [name: string, texts: Texts]>> = {
  'redis-data-loss': ['store-loss', changes['store-loss']],
  'asynchronous-failover': ['store-loss', changes['store-loss']],
  'asynchronous-commit': ['store-loss', changes['store-loss']],
  'sink-forgets': [
    'sink-forgets',
    [
      'The sink forgets a key and performs again',
      "Dead-letter a message older than the sink's memory of keys, or have the sink remember longer.",
    ],
  ],
  'copies-after-retention': [
    'copies-after-retention',
    ['A copy arrives after the retention', 'Dead-letter a message that is older than the retention.'],
  ],
  'clock-steps-beyond-1-minute': [
    'clock-steps',
    [
      'A clock is stepped by more than a minute',
      'Decide by the clock of Redis alone, never by a time that a client sends.',
    ],
  ],
}

export function rootOf({ cause, why, acceptable = [] }: Rooted): RootOf {
  const { invariant, kind, decidedBy, sinkForgot } = cause
  const remedy = remedyOf(kind, decidedBy, why)
  const risk = acceptable[0] ?? (sinkForgot ? 'sink-forgets' : undefined)
  // One comparison in the layer prevents this violation, so no assumption is needed.
  const isMended = risk === 'copies-after-retention' && remedy?.id === 'produced-ahead'
  if (risk !== undefined && !isMended) {
    const [name, [title, fix]] = isJumpBack(risk, why) ? ['clock-back', changes['clock-back']] : ofRisks[risk]
    return { name, title, fix, assumes: risk }
  }
  if (remedy === null) return { name: `${invariant} ${kind}`, title: `${invariant}: ${kind}`, fix: null }
  const { id: name, title, fix } = remedy
  return { name, title, fix, ...(name === 'store-loss' ? { assumes: lossOf(kind, why) } : {}) }
}

/** True if Redis's own clock jumped. A layer that uses only one clock does not prevent this. */
const isJumpBack = (risk: RiskName, why: string): boolean =>
  risk === 'clock-steps-beyond-1-minute' && / the clock of Redis had (?:jumped back|been put back)/.test(why)

function lossOf(kind: string, why: string): RiskName {
  if (/(?:failover|split-brain)$/.test(kind) || /^the failover | went to a primary /.test(why))
    return 'asynchronous-failover'
  return /postgres/i.test(why) ? 'asynchronous-commit' : 'redis-data-loss'
}

/** The parts of a root cause by which root causes are ordered. */
export interface Likely {
  readonly members: readonly (Rooted & { readonly runs: number })[]
}

/**
 * Orders root causes. Root causes with an assumption come last. Then the order is by severity, by
 * how ordinary the needed faults are, and by number of runs.
 */
export function likelyFirst(a: Likely, b: Likely): number {
  return (
    Number(isAssumed(a)) - Number(isAssumed(b)) ||
    least(a, ({ cause }) => severity(cause.invariant)) - least(b, ({ cause }) => severity(cause.invariant)) ||
    least(a, ({ cause }) => triggerRank(cause.needs)) - least(b, ({ cause }) => triggerRank(cause.needs)) ||
    runsOf(b) - runsOf(a)
  )
}

/** True if each violation of the root cause breaks an assumption about the environment. */
export const isAssumed = ({ members }: Likely): boolean => members.every((one) => rootOf(one).assumes !== undefined)

const least = ({ members }: Likely, of: (one: Likely['members'][number]) => number): number =>
  Math.min(...members.map(of))

const runsOf = ({ members }: Likely): number => members.reduce((sum, { runs }) => sum + runs, 0)
