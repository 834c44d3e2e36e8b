/** Whether a run on real servers may have gone otherwise because the machine was late. */
import type { Followed } from '../../contract/script.ts'
import type { CampaignDeps, RunResult } from '../campaign-deps.ts'
import { replyClass } from '../deciding-step.ts'
import type { LoadedPair } from '../load-pair.ts'
import { playAgain } from '../play-and-judge.ts'
import { emptyTally } from '../tally.ts'
import type { RecordedRun } from '../token.ts'
import type { ScriptedRun } from './run-script.ts'

/**
 * A late machine reaches a layer by Redis's clock alone, which goes on while the consumers' clocks wait. So the simulator plays
 * the run once more, with Redis's clock ahead at each command by as much as it was: once as when the commands left, once as
 * when their replies were there, since each was executed in between. True where one of the two leaves the run, in a step or in
 * a reply, before the run on real servers ended: then that one says nothing of the layer.
 */
export async function latenessMatters(
  pair: LoadedPair,
  recorded: RecordedRun,
  { result }: Pick<ScriptedRun, 'result'>,
  { executed, taken }: Followed,
  deps: CampaignDeps,
): Promise<boolean> {
  for (const when of ['left', 'answered'] as const) {
    const redisAheadMs = executed.map(({ lateMs }) => lateMs[when])
    const played = await playAgain(pair, recorded, emptyTally(), deps, { script: true, redisAheadMs })
    if (goesOtherwise(played.result, result, { commands: executed.length, steps: taken + 1 })) return true
  }
  return false
}

function goesOtherwise(
  late: RunResult,
  result: RunResult,
  until: { readonly commands: number; readonly steps: number },
): boolean {
  const names = late.script!.steps
  return (
    result.script!.steps.slice(0, until.steps).some(({ name }, at) => names[at]?.name !== name) ||
    result.executed.slice(0, until.commands).some((one, at) => !isAlike(one, late.executed[at]))
  )
}

type Executed = RunResult['executed'][number]

const isAlike = (one: Executed, other: Executed | undefined): boolean =>
  one.process === other?.process && one.label === other.label && replyClass(one.reply) === replyClass(other.reply)
