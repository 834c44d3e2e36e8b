/** All invariants by name, and the function that judges a history. */
import type { History } from '../contract/api/history.ts'
import {
  type BuiltInName,
  type Invariant,
  type InvariantName,
  type OwnInvariant,
  ownName,
  type Verdict,
} from '../contract/api/verdict.ts'
import { atMostOnce } from './at-most-once.ts'
import { boundedStall } from './bounded-stall.ts'
import { judgeOwn } from './judge-own.ts'
import { noFalseDone } from './no-false-done.ts'
import { noImmortalKeys } from './no-immortal-keys.ts'
import { noLostMessage } from './no-lost-message.ts'
import { noNeedlessPark } from './no-needless-park.ts'
import { payloadBound } from './payload-bound.ts'
import { sameResult } from './same-result.ts'

export const invariants: Readonly<Record<BuiltInName, Invariant>> = {
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

/** The verdicts on one history, in the order of `names`. `own`: the scenario's own invariants. */
export function judge(
  history: History,
  names: readonly InvariantName[],
  own: readonly OwnInvariant[] = [],
): readonly Judgement[] {
  return names.map((name) => {
    const mine = own.find((one) => ownName(one) === name)
    return { name, verdict: mine ? judgeOwn(mine, history) : invariants[name as BuiltInName].judge(history) }
  })
}
