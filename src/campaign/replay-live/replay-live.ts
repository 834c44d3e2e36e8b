/**
 * Replays a simulated run on real servers in the order of its steps, and checks whether the run
 * breaks on them for the same cause.
 */

import type { History } from '../../contract/api/history.ts'
import { usualStores } from '../../contract/api/store.ts'
import type { LiveReplay, LiveReplayViolation, OtherReply } from '../../contract/results/live-replay.ts'
import { reasonsUnsaid } from '../../contract/results/live-replay.ts'
import type { LiveOrder, LiveOutcome } from '../../contract/results/live-run.ts'
import type { Followed } from '../../contract/results/schedule.ts'
import { stepText } from '../../contract/results/step.ts'
import { judgedBy } from '../../run/header.ts'
import { withLeaseFor } from '../../run/shortest-lease.ts'
import { isOfProcess } from '../../run/steps.ts'
import { isOfServers } from '../../run/store-steps.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { type JudgedViolation, wayOf } from '../causes/reported-violation.ts'
import type { LiveHost } from '../live/live-host.ts'
import { asExecuted } from '../model/live-replies.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps } from '../types.ts'
import { latenessMatters, wasCutShort } from './lateness.ts'
import { leftByNodes } from './left-by-nodes.ts'
import { leftBySessions } from './left-by-sessions.ts'
import { firstOther } from './other-reply.ts'
import type { ScheduledRun } from './run-schedule.ts'
import type { NotMade } from './why-not-held.ts'
import { whyNotMade } from './why-not-made.ts'

export interface LiveReplayContext {
  readonly deps: CampaignDeps
  readonly host: LiveHost
  /** Makes runs of the layer on real servers. */
  readonly make: (order: LiveOrder) => Promise<LiveOutcome>
  /** The maximum duration of a run in real milliseconds. */
  readonly atMostMs: number
  /**
   * True if the run must hold on real servers, as it does in the simulator; otherwise it must
   * break.
   */
  readonly holds?: boolean
}

/**
 * Replays the run on the servers.
 * @throws LiveProblem if the servers fail
 */
export async function replayOnServers(
  pair: LoadedPair,
  recorded: RecordedRun,
  scheduled: ScheduledRun,
  context: LiveReplayContext,
): Promise<LiveReplay> {
  const subject = { implementation: recorded.implementation, scenario: recorded.scenario, sink: recorded.sink }
  const { broke, decidedBy, until } = scheduled
  const expected = broke === null ? null : nameOf(broke, decidedBy)
  const unmade = {
    ...subject,
    expected,
    seen: [],
    left: null,
    otherReply: null,
    on: null,
    tookMs: 0,
    lateMs: 0,
    sentence: null,
    steps: { taken: 0, of: until },
  }
  const cannot: NotMade | null =
    broke === null && context.holds !== true
      ? { reason: 'nothing-broken', what: null }
      : whyNotMade(scheduled, context.host, context.atMostMs)
  if (cannot !== null) {
    const { reason, what } = cannot
    const why = `${reasonsUnsaid[reason]}${what === null ? '' : `: ${what}`}`
    return { ...unmade, answer: 'cannot be made', reason, why }
  }
  const outcome = await context.make({ ...orderOf(pair, recorded, scheduled), longestMs: context.atMostMs })
  const found = judged(pair, scheduled, outcome, context.deps)
  const followed = outcome.followed!
  const seen = found.map(({ violation, decided }) => nameOf(violation, decided))
  const same = found.find(
    ({ violation }) =>
      broke !== null && wayOf(violation) === wayOf(broke) && violation.violation.key === broke.violation.key,
  )
  const otherwise = whyNot(scheduled, outcome, found, same ?? null) ?? otherEffects(scheduled, outcome)
  const wasCutOff = followed.left === null && followed.taken < followed.of
  const late =
    otherwise !== null &&
    !wasCutOff &&
    (wasCutShort(scheduled, followed) || (await latenessMatters(pair, recorded, scheduled, followed, context.deps)))
  const lateMs = Math.ceil(followed.lateMs)
  const tookTooLong = wasCutOff && outcome.tookMs > context.atMostMs && spanMs(scheduled) > context.atMostMs
  const byServers =
    otherwise !== null &&
    (leftByServers(followed) || leftByNodes(scheduled, followed) || leftBySessions(scheduled, followed))
  const unsaid = late ? 'late' : tookTooLong ? 'too-long' : byServers ? 'servers' : null
  return {
    ...unmade,
    answer: otherwise === null ? 'confirmed' : unsaid === null ? 'not confirmed' : 'cannot be said',
    reason: unsaid,
    why: unsaid === null ? otherwise : `${reasonsUnsaid[unsaid]}${late ? ` by ${lateMs} ms` : ''}; ${otherwise}`,
    seen,
    steps: { taken: followed.taken, of: followed.of },
    left: leftText(followed),
    otherReply: otherwise === null ? null : otherReply(scheduled, followed),
    on: context.host.about,
    tookMs: Math.round(outcome.tookMs),
    lateMs,
    sentence: same?.violation.violation.sentence ?? null,
  }
}

interface Found {
  readonly violation: JudgedViolation
  readonly decided: string | null
}

function judged(
  { scenario }: LoadedPair,
  { schedule }: ScheduledRun,
  { history, followed }: LiveOutcome,
  deps: CampaignDeps,
): Found[] {
  const executed = followed!.executed.map((one) => asExecuted(one, schedule))
  return deps.judge(history, scenario.invariants, scenario.own).flatMap(({ name, verdict }) =>
    (verdict.verdict === 'violated' ? verdict.violations : []).map((violation) => ({
      violation: { invariant: name, violation },
      decided: decidingStep({ history, executed }, violation),
    })),
  )
}

/** Why the run did not go as simulated; null if it did. */
function whyNot(
  { broke, decidedBy }: ScheduledRun,
  { history, followed }: LiveOutcome,
  found: readonly Found[],
  same: Found | null,
): string | null {
  const { taken, of } = followed!
  const left = leftText(followed!)
  if (left !== null)
    return `it diverged at step ${left.step} of ${of}: expected ${left.expected}, seen ${left.seen ?? 'nothing'}`
  if (taken < of) return whyCutOff(history)
  if (broke === null && found.length === 0) return null
  if (same === null)
    return found.length === 0
      ? `it followed all ${of} steps and held`
      : `it broke otherwise: ${[...new Set(found.map(({ violation }) => wayOf(violation)))].join(', ')}`
  return same.decided === decidedBy
    ? null
    : `it broke by another step: expected ${decidedBy ?? 'none'}, seen ${same.decided ?? 'none'}`
}

function leftText({ left }: Pick<Followed, 'left'>): LiveReplay['left'] {
  if (left === null) return null
  const { step, expected, seen } = left
  return { step, expected: stepText(expected), seen: seen === null ? null : stepText(seen) }
}

/**
 * True if servers did not perform the expected step. False if a process made another step instead,
 * because then the layer caused the divergence.
 */
function leftByServers({ left }: Followed): boolean {
  return left !== null && isOfServers(left.expected) && !(left.seen !== null && isOfProcess(left.seen))
}

/**
 * The duration of the schedule in milliseconds. If a layer is never idle, no part of this time can
 * be skipped.
 */
const spanMs = ({ schedule: { steps }, until }: ScheduledRun): number =>
  (steps[until - 1]!.atUs - steps[0]!.atUs) / 1000

/** The reason that the host gives: the run was interrupted, or reached its time limit. */
const whyCutOff = ({ events }: History): string => events.find((event) => event.type === 'ended')!.why!

/**
 * The keys with a different number of effects than in the simulator; null if there are none, or if
 * the simulated run broke.
 */
function otherEffects({ broke, result }: ScheduledRun, { history }: LiveOutcome): string | null {
  if (broke !== null) return null
  const [was, is] = [effectsOf(result.history), effectsOf(history)]
  const keys = [...new Set([...was, ...is])].filter((key) => count(was, key) !== count(is, key))
  return keys.length === 0 ? null : `it had other effects: ${keys.join(', ')}`
}

const effectsOf = ({ events }: History): string[] =>
  events.flatMap((event) => (event.type === 'effect-applied' ? [event.key] : []))

const count = (keys: readonly string[], key: string): number => keys.filter((one) => one === key).length

const nameOf = (
  { invariant, violation: { kind, key } }: JudgedViolation,
  decidedBy: string | null,
): LiveReplayViolation => ({
  invariant,
  kind,
  key,
  decidedBy,
})

function otherReply(scheduled: ScheduledRun, { executed }: Followed): OtherReply | null {
  const other = firstOther(scheduled, executed)
  if (other === null) return null
  const { command, process, simulated, real } = other
  return { command, process, simulated, real }
}

function orderOf(
  { scenario, implementation: { implementation } }: LoadedPair,
  { sink, plan }: RecordedRun,
  { schedule, until }: ScheduledRun,
): LiveOrder {
  return {
    shape: plan.redis === undefined ? 'single' : 'sentinel',
    scenario: scenario.id,
    implementation: implementation.id,
    stores: implementation.stores ?? usualStores,
    sink,
    plan: withLeaseFor(implementation, plan),
    // No random choices are made, because the schedule determines them.
    chance: () => 0,
    ...judgedBy(implementation, scenario),
    deploys: implementation.deploy !== undefined,
    follows: { schedule, until },
  }
}
