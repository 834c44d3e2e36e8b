import type { Finding, ViolationResult } from '../contract/results.ts'
import { visible } from '../contract/visible.ts'
import type { CampaignContext, CampaignRequest } from './campaign-request.ts'
import { drawRun } from './draw-run.ts'
import type { LoadedPair } from './load-pair.ts'
import { pairName } from './pair-ref.ts'
import { replayByAddress, replayRecorded } from './replay-command.ts'
import { planOf } from './run-chunk.ts'
import type { PathTally, ViolatingRun } from './tally.ts'
import type { PairTask } from './tasks.ts'
import { digestPrefix, encodeRun, encodeToken } from './token.ts'
import type { ToldViolation } from './told-violation.ts'

/** What results say of a told violation, in every list. */
type ViolationText = Pick<
  Finding,
  'key' | 'seed' | 'run' | 'token' | 'replay' | 'sentence' | 'sourceLine' | 'story' | 'eventCount' | 'faultCount'
>

/** A violation and its story, with the command that replays it; a file holds what no token can. */
export function toldResult(
  { invariant, violation, recorded, sourceLine, story, eventCount, faultCount }: ToldViolation,
  { reports }: Pick<CampaignRequest, 'reports'>,
  { keep }: Pick<CampaignContext, 'keep'>,
): ViolationText {
  const { kind, key, sentence } = violation
  const token = encodeToken(recorded)
  const where = { seed: recorded.seed, run: recorded.run, token }
  const from = sourceLine === undefined ? {} : { sourceLine }
  const what = { sentence: visible(sentence), ...from, story, eventCount, faultCount }
  if (token !== null) return { key, ...where, replay: replayRecorded(token, recorded), ...what }
  const { implementation, scenario, sink } = recorded
  const name = `${[implementation, scenario, ...(sink === 'plain' ? [] : [sink]), invariant, kind]
    .join('--')
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-+/, '')}.json`
  keep(name, encodeRun(recorded))
  return { key, ...where, replay: replayRecorded(`${reports}/latest/${name}`, recorded), ...what }
}

/** The same for a pair's list of violations. */
export function violationResult(
  told: ToldViolation,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): ViolationResult {
  const { invariant, violation } = told
  return { invariant, kind: violation.kind, ...toldResult(told, request, context) }
}

/** The first run of a path, as it was drawn; `finding` tells its story. */
export function drawnResult(
  task: PairTask,
  { scenario }: Pick<LoadedPair, 'scenario'>,
  { invariant, kind, runs, first }: Pick<PathTally, 'invariant' | 'kind' | 'runs' | 'first'>,
): ViolationResult {
  const { run, key, sentence, eventCount } = first
  const { value, choiceSeed } = drawRun(scenario, task.seed, run)
  const plan = planOf(task, value.value)
  const address = { ...pairName(task), seed: task.seed, run }
  const token = encodeToken({ ...address, plan, choiceSeed, ...choicesOf(first) })
  return {
    invariant,
    kind,
    key,
    seed: task.seed,
    run,
    token,
    sentence: visible(sentence),
    story: [],
    eventCount,
    shrunk: false,
    replay: token === null ? replayByAddress(address) : replayRecorded(token, address),
    faultCount: plan.faults.length,
    runs: [...runs],
  }
}

function choicesOf({ choiceCount, digest }: ViolatingRun) {
  return { choiceCount, digest: digestPrefix(digest) }
}
