/**
 * `replay-live`: plays a run of the simulator on real servers, and holds every step back until its
 * turn.
 */

import type { LiveHost } from '../../campaign/live/live-host.ts'
import type { PairChoice } from '../../campaign/play/campaign-request.ts'
import { loadPair } from '../../campaign/play/load-pair.ts'
import { hardestPasses } from '../../campaign/replay-live/hardest-passes.ts'
import { inParallel } from '../../campaign/replay-live/in-parallel.ts'
import { takesMs } from '../../campaign/replay-live/on-servers.ts'
import { replayOnServers } from '../../campaign/replay-live/replay-live.ts'
import { type ScheduledRun, scheduleOfRun } from '../../campaign/replay-live/run-schedule.ts'
import { whyNotMade } from '../../campaign/replay-live/why-not-made.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { LiveReplay, LiveReplayViolation } from '../../contract/results/live-replay.ts'
import { aboutText } from '../../contract/results/time-text.ts'
import { withCampaignSession } from '../campaign-session.ts'
import type { OptionsOf } from '../command-table.ts'
import { codeOfPasses, codeOfTries } from '../live-replay-codes.ts'
import { liveReplayLines } from '../live-replay-lines.ts'
import { replayRootCauses } from '../live-root-causes.ts'
import { type RecordedChoice, readRecorded } from '../live-token.ts'
import type { Output } from '../output.ts'
import { type ReportedLive, reportedLive } from '../reported-run.ts'
import { selectPairs } from '../select.ts'
import { refusePrograms } from '../simulated-only.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'
import { refusePlaces, withScheduleHost } from '../with-schedule-host.ts'

type LiveReplayOptions = OptionsOf<'replay-live'>

export async function replayLive(
  asked: string | undefined,
  given: LiveReplayOptions,
  output: Output,
): Promise<ExitCode> {
  const { passes, all = false } = given
  if ([asked !== undefined, passes !== undefined, all].filter(Boolean).length !== 1)
    throw new UsageError('replay-live', 'give a token, a file or an id, or only one of --all and --passes <n>')
  refusePlaces(given)
  if (all) return replayRootCauses(given, output)
  const reported = asked === undefined ? null : reportedLive(asked, given)
  const live = reported?.live ?? null
  if (live !== null && 'cannot' in live) return cannotBeMade(reported!.shown, live.cannot, given, output)
  const { impl: _impl, ...left } = given
  const options = live === null ? given : { ...left, ...live.options }
  const token = live === null ? asked : live.token
  if (asked !== undefined && token === undefined)
    throw new UsageError(asked, 'the report has no token or file of this run; use `replay`')
  return withCampaignSession(output, false, async ({ deps, say }) => {
    refusePrograms(
      [
        ['--impl', options.impl],
        ['--with-next', options.withNext],
      ],
      'replay-live',
    )
    const chosen = token === undefined ? null : await readRecorded(token, options, deps)
    const choices = chosen === null ? await choosePasses(options, deps) : [chosen.choice]
    return withScheduleHost(choices, options, { deps, say }, async (host) => {
      const context = { deps, host, say }
      const made =
        chosen === null
          ? await replayPasses(passes!, choices, options, context)
          : await replayRecorded(chosen, live?.breaks, options, context)
      for (const one of made) for (const line of liveReplayLines(one)) say(line)
      const exitCode = chosen === null ? codeOfPasses(made, deps.stopped()) : codeOfTries(made, deps.stopped())
      if (output.json)
        await output.document({
          ...resultsHead(chosen?.recorded.seed ?? options.seed),
          exitCode,
          confirmations: made,
        })
      return exitCode
    })
  })
}

async function cannotBeMade(
  { title }: ReportedLive['shown'],
  why: string,
  { seed }: LiveReplayOptions,
  output: Output,
): Promise<ExitCode> {
  output.line(title)
  output.line('cannot be made')
  output.line(`  ${why}`)
  if (output.json) await output.document({ ...resultsHead(seed), exitCode: exitCodes.unknown, confirmations: [] })
  return exitCodes.unknown
}

interface PlayContext {
  readonly deps: CampaignDeps
  readonly host: LiveHost
  readonly say: (line: string) => void
}

/** `breaks`: the expected violation. Absent: the most severe one of the run. */
async function replayRecorded(
  { recorded, choice }: RecordedChoice,
  breaks: LiveReplayViolation | undefined,
  { tries, atOnce, atMost }: LiveReplayOptions,
  { deps, host, say }: PlayContext,
): Promise<LiveReplay[]> {
  const pair = await loadPair(choice, deps)
  const scheduled = await scheduleOfRun(pair, recorded, deps, breaks === undefined ? {} : { breaks })
  const make = await host.load(choice.implementationPath)
  const { stopped } = deps
  if (whyNotMade(scheduled, host, Number.POSITIVE_INFINITY) === null && scheduled.broke !== null)
    say(takesLine(scheduled, atMost))
  return inParallel({ times: tries, atOnce, stopped }, () =>
    replayOnServers(pair, recorded, scheduled, { deps, host, make, atMostMs: atMost }),
  )
}

function takesLine({ schedule: { steps }, until }: ScheduledRun, atMostMs: number): string {
  const ms = takesMs(steps.slice(0, until))
  const takes = `${until} steps take ${aboutText(ms)} on real servers`
  if (ms <= atMostMs) return takes
  const minutes = Math.ceil(ms / 60_000) + 1
  const wanted = minutes <= 60 ? `${minutes}m` : `${Math.ceil(minutes / 60)}h`
  return `${takes}, longer than --at-most; give --at-most ${wanted}`
}

/** Scenarios with one server whose faults can be made on real servers. */
const passScenarios = [
  'competing-consumers',
  'crash-mid-logic',
  'lost-reply',
  'network-partition',
  'redis-restart',
  'slow-lock-holder',
]
/** The number of runs of each scenario among which the hardest are chosen. */
const lookedAt = 30

/** The pairs for --passes, all of one layer. @throws UsageError if --impl names several layers */
async function choosePasses(
  { impl, withNext: next, scenario }: LiveReplayOptions,
  deps: CampaignDeps,
): Promise<PairChoice[]> {
  const implementations = impl === undefined ? undefined : [impl]
  const scenarios = scenario === undefined ? passScenarios : [scenario]
  const choices = await selectPairs({ implementations, next, scenarios }, [], deps)
  const layers = new Set(choices.map(({ implementationName }) => implementationName))
  if (layers.size > 1) throw new UsageError(`--impl ${impl}`, `matches ${layers.size} layers; name one of them`)
  return choices
}

async function replayPasses(
  wanted: number,
  choices: readonly PairChoice[],
  { seed, atOnce, atMost: atMostMs }: LiveReplayOptions,
  { deps, host }: PlayContext,
): Promise<LiveReplay[]> {
  const pairs = await Promise.all(choices.map((choice) => loadPair(choice, deps)))
  const wish = { wanted, seed, runs: lookedAt, sink: choices[0]!.sink, atMostMs } as const
  const passes = await hardestPasses(pairs, wish, host, deps)
  const make = await host.load(choices[0]!.implementationPath)
  const left = [...passes]
  const { stopped } = deps
  return inParallel({ times: passes.length, atOnce, stopped }, () => {
    const { pair, recorded, scheduled } = left.shift()!
    return replayOnServers(pair, recorded, scheduled, { deps, host, make, atMostMs, holds: true })
  })
}
