/** Every invariant by name, and the judgement of one history. */
import type { History } from '../contract/history.ts'
import type { Invariant, InvariantName, Verdict } from '../contract/verdict.ts'
import { atMostOnce } from './at-most-once.ts'
import { boundedStall } from './bounded-stall.ts'
import { noFalseDone } from './no-false-done.ts'
import { noImmortalKeys } from './no-immortal-keys.ts'
import { noLostMessage } from './no-lost-message.ts'
import { noNeedlessPark } from './no-needless-park.ts'
import { payloadBound } from './payload-bound.ts'
import { sameResult } from './same-result.ts'

export const invariants: Readonly<Record<InvariantName, Invariant>> = {
  'at-most-once': atMostOnce,
  'no-lost-message': noLostMessage,
  'no-needless-park': noNeedlessPark,
  'no-false-done': noFalseDone,
  'same-result': sameResult,
  'payload-bound': payloadBound,
  'bounded-stall': boundedStall,
  'no-immortal-keys': noImmortalKeys,
}

export interface Judgement {
  readonly name: InvariantName
  readonly verdict: Verdict
}

/** The verdicts on one history, in the order of `names`. */
export const judge = (history: History, names: readonly InvariantName[]): readonly Judgement[] =>
  names.map((name) => ({ name, verdict: invariants[name].judge(history) }))
