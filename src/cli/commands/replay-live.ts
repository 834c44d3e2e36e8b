/**
 * `replay-live`: a run of the simulator on real servers, with every step of it held back until its
 * turn.
 */

import type { LiveHost } from '../../campaign/live/live-host.ts'
import type { PairChoice } from '../../campaign/play/campaign-request.ts'
import { loadPair } from '../../campaign/play/load-pair.ts'
import { hardestPasses } from '../../campaign/replay-live/hardest-passes.ts'
import { inParallel } from '../../campaign/replay-live/in-parallel.ts'
import { replayOnServers } from '../../campaign/replay-live/replay-live.ts'
import { type ScheduledRun, scheduleOfRun } from '../../campaign/replay-live/run-schedule.ts'
import type { RecordedRun } from '../../campaign/token/token.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { LiveReplay } from '../../contract/results/live-replay.ts'
import type { LiveEnvironment } from '../../live/environment/environment.ts'
import { LiveProblem } from '../../live/environment/problem.ts'
import type { RunDirectory } from '../../live/environment/run-directory.ts'
import { withCampaignSession } from '../campaign-session.ts'
import type { OptionsOf } from '../command-table.ts'
import { createLiveHost } from '../live-host.ts'
import { codeOfPasses, codeOfTries } from '../live-replay-codes.ts'
import { liveReplayLines } from '../live-replay-lines.ts'
import { readRecorded } from '../live-token.ts'
import type { Output } from '../output.ts'
import { reportedRun } from '../reported-run.ts'
import { selectPairs } from '../select.ts'
import { refuseMutants, refusePrograms } from '../simulated-only.ts'
import { storesOf } from '../stores-of.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'
import { withEnvironment } from '../with-environment.ts'

type LiveReplayOptions = OptionsOf<'replay-live'>

/** Servers of others are no place for it: it holds commands of everybody, and kills what a fault kills. */
const places = ['local', 'docker', 'compose']

export async function replayLive(
  asked: string | undefined,
  given: LiveReplayOptions,
  output: Output,
): Promise<ExitCode> {
  const reported = asked === undefined ? null : reportedRun(asked, given)
  const token = reported?.token ?? asked
  const options = { ...given, ...reported?.options }
  if (options.with !== undefined && !places.includes(options.with))
    throw new UsageError(`--with ${options.with}`, 'no run has that for itself; choose local, docker or compose')
  const { passes, atOnce } = options
  if (options.with === 'compose' && atOnce > 1)
    throw new UsageError(
      `--at-once ${atOnce}`,
      'the Redis of docker-compose.yml is for one run at a time; leave it out',
    )
  if ((token === undefined) === (passes === undefined))
    throw new UsageError('replay-live', 'give a token or a file, or --passes <n> in place of one')
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
    await refuseMutants(choices, 'replay-live', deps)
    const stores = await storesOf(choices, 'replay-live', deps)
    const wish = { ...(stores.has('postgres') ? withBuiltInProxy(options) : options), bySchedule: true }
    const play = async (environment: LiveEnvironment, directory: RunDirectory): Promise<ExitCode> => {
      const host = createLiveHost(environment, directory, {
        timeScale: 1,
        marginMs: Number.POSITIVE_INFINITY,
        longestMs: options.atMost,
        stopped: deps.stopped,
      })
      const context = { deps, host }
      const made =
        chosen === null
          ? await replayPasses(passes!, choices, options, context)
          : await replayRecorded(chosen.recorded, chosen.choice, options, context)
      for (const one of made) for (const line of liveReplayLines(one)) say(line)
      const exitCode = chosen === null ? codeOfPasses(made, deps.stopped()) : codeOfTries(made, deps.stopped())
      if (output.json)
        await output.document({
          ...resultsHead(chosen?.recorded.seed ?? options.seed),
          exitCode,
          confirmations: made,
        })
      return exitCode
    }
    try {
      return await withEnvironment(wish, stores, say, play)
    } catch (error) {
      if (!(error instanceof LiveProblem)) throw error
      output.line(`the live run failed: ${error.message}`)
      return exitCodes.harness
    }
  })
}

/** No other one holds the end of a session. @throws UsageError where another one is named */
function withBuiltInProxy(options: LiveReplayOptions): LiveReplayOptions {
  if (options.with === 'compose')
    throw new UsageError('--with compose', 'a run has no PostgreSQL for itself there; choose local or docker')
  const { proxy = 'builtin' } = options
  if (proxy !== 'builtin')
    throw new UsageError(
      `--proxy ${proxy}`,
      'sessions of PostgreSQL are held by the built-in proxy alone; leave it out',
    )
  return { ...options, proxy }
}

async function replayRecorded(
  recorded: RecordedRun,
  choice: PairChoice,
  { tries, atOnce, atMost }: LiveReplayOptions,
  { deps, host }: { readonly deps: CampaignDeps; readonly host: LiveHost },
): Promise<LiveReplay[]> {
  const pair = await loadPair(choice, deps)
  const scheduled: ScheduledRun = await scheduleOfRun(pair, recorded, deps)
  const make = await host.load(choice.implementationPath)
  const { stopped } = deps
  return inParallel({ times: tries, atOnce, stopped }, () =>
    replayOnServers(pair, recorded, scheduled, { deps, host, make, atMostMs: atMost }),
  )
}

/** One server, and faults that are made live. */
const passScenarios = [
  'competing-consumers',
  'crash-mid-logic',
  'lost-reply',
  'network-partition',
  'redis-restart',
  'slow-lock-holder',
]
/** Runs of each that are looked at. */
const lookedAt = 30

/** Of one layer. @throws UsageError where --impl names more */
async function choosePasses(
  { impl, withNext: next, scenario }: LiveReplayOptions,
  deps: CampaignDeps,
): Promise<PairChoice[]> {
  const implementations = impl === undefined ? undefined : [impl]
  const scenarios = scenario === undefined ? passScenarios : [scenario]
  const choices = await selectPairs({ implementations, next, scenarios }, [], deps)
  const layers = new Set(choices.map(({ implementationName }) => implementationName))
  if (layers.size > 1) throw new UsageError(`--impl ${impl}`, `it names ${layers.size} layers; name one of them`)
  return choices
}

async function replayPasses(
  wanted: number,
  choices: readonly PairChoice[],
  { seed, atOnce, atMost: atMostMs }: LiveReplayOptions,
  { deps, host }: { readonly deps: CampaignDeps; readonly host: LiveHost },
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
