/** Decides whether a run on real servers may have diverged because the machine was late. */
import type { Followed } from '../../contract/results/schedule.ts'
import { sameStep } from '../../contract/results/step.ts'
import { replyClass } from '../causes/deciding-step.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { oneAtATime } from '../play/one-at-a-time.ts'
import { playAgain } from '../play/play-and-judge.ts'
import { emptyTally } from '../tally/tally.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RunResult } from '../types.ts'
import { firstOther, ofConsumers } from './other-reply.ts'
import type { ScheduledRun } from './run-schedule.ts'

/**
 * A late machine affects a layer only through Redis's clock, which advances while the consumers'
 * clocks wait. So the simulator replays the run, with Redis's clock ahead by the measured delay at
 * each command. A command was executed at some time between its request and its reply. So the run
 * is replayed four times: with all delays measured at the requests, with all measured at the
 * replies, and with two mixtures. The mixtures change from one to the other at the first command
 * with another reply (or else at the last command). Returns true if one of the four replays
 * diverges, in a step or in a reply, before the run on real servers ended. Then the run on real
 * servers proves nothing about the layer.
 */
export async function latenessMatters(
  pair: LoadedPair,
  recorded: RecordedRun,
  { result, schedule }: Pick<ScheduledRun, 'result' | 'schedule'>,
  { executed, taken }: Followed,
  deps: CampaignDeps,
): Promise<boolean> {
  const other = firstOther({ result, schedule }, executed)?.at ?? executed.length - 1
  for (const [before, from] of whens) {
    const serversAheadMs = executed.map(({ lateMs }, at) => lateMs[at < other ? before : from])
    const how = { schedule: true, scrutinise: true, serversAheadMs }
    const played = await alone(() => playAgain(pair, recorded, emptyTally(), deps, how))
    if (behavesDifferently(played.result, result, { commands: executed.length, steps: taken + 1 })) return true
  }
  return false
}

/**
 * True if a time limit of PostgreSQL passed only because the run was late: the simulator ended
 * other statements in this way, or fewer before the divergence. Such limits count on the server's
 * clock from the start of a wait, even if the run is behind its schedule.
 */
export function wasCutShort(
  { result, schedule }: Pick<ScheduledRun, 'result' | 'schedule'>,
  { cutShort, taken, executed }: Pick<Followed, 'cutShort' | 'taken' | 'executed'>,
): boolean {
  const endedHere = cutShort.map((error) => `error ${error.split(' ', 1)[0]}`)
  if (endedHere.includes(firstOther({ result, schedule }, executed)?.real ?? '')) return true
  const untilSeq = schedule.steps[taken]?.seq ?? Number.POSITIVE_INFINITY
  const ended = ofConsumers(result).flatMap(({ seq, reply }) => (seq <= untilSeq ? [replyClass(reply)] : []))
  const count = (all: readonly string[], error: string): number => all.filter((one) => one === error).length
  return endedHere.some((error) => count(endedHere, error) > count(ended, error))
}

/**
 * Serializes requests of concurrent live runs, because a thread can play only one world at a time.
 */
const alone = oneAtATime()

/**
 * For each of the four replays, the time at which delays are measured: before the first command
 * with another reply, and from this command on.
 */
const whens = [
  ['left', 'left'],
  ['answered', 'answered'],
  ['left', 'answered'],
  ['answered', 'left'],
] as const

function behavesDifferently(
  late: RunResult,
  result: RunResult,
  until: { readonly commands: number; readonly steps: number },
): boolean {
  const [lateSteps, lateOnes] = [late.schedule!.steps, ofConsumers(late)]
  return (
    result.schedule!.steps.slice(0, until.steps).some(({ step }, at) => !sameStep(step, lateSteps[at]?.step)) ||
    ofConsumers(result)
      .slice(0, until.commands)
      .some((one, at) => !isAlike(one, lateOnes[at]))
  )
}

type Executed = RunResult['executed'][number]

const isAlike = (one: Executed, other: Executed | undefined): boolean =>
  one.process === other?.process && one.label === other.label && replyClass(one.reply) === replyClass(other.reply)
