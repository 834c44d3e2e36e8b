/** Whether a run on real servers may have gone otherwise because the machine was late. */
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
 * A late machine reaches a layer by Redis's clock alone, which goes on while the consumers' clocks
 * wait. So the simulator plays the run once more, with Redis's clock ahead at each command by as
 * much as it was. A command was executed some time between its leaving and its reply, so this is
 * done four times: as when all left, as when all were answered, and with the command that first had
 * another reply, or came last, as late and as early as it can be beside those before it. True where
 * one of the four leaves the run, in a step or in a reply, before the run on real servers ended:
 * then that one says nothing of the layer.
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
    if (goesOtherwise(played.result, result, { commands: executed.length, steps: taken + 1 })) return true
  }
  return false
}

/**
 * Whether a time limit of PostgreSQL's own passed for the run's lateness alone: in the simulator,
 * another statement was ended so, or less by then. Such limits go by the server's clock from when
 * it began to wait, however long the run is behind its schedule meanwhile.
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

/** Runs that are made at once ask one after the other: a thread has one world at a time. */
const alone = oneAtATime()

/** As when commands came before the one in question, and from it on. */
const whens = [
  ['left', 'left'],
  ['answered', 'answered'],
  ['left', 'answered'],
  ['answered', 'left'],
] as const

function goesOtherwise(
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
