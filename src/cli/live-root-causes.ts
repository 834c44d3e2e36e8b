/** `replay-live --all`: one run of each root cause of the last report, within a budget. */
import type { LiveHost } from '../campaign/live/live-host.ts'
import { type LoadedPair, loadPair } from '../campaign/play/load-pair.ts'
import { inParallel } from '../campaign/replay-live/in-parallel.ts'
import { takesMs } from '../campaign/replay-live/on-servers.ts'
import { replayOnServers } from '../campaign/replay-live/replay-live.ts'
import { type ScheduledRun, scheduleOfRun } from '../campaign/replay-live/run-schedule.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { LiveReplay, LiveReplayViolation } from '../contract/results/live-replay.ts'
import { aboutText, elapsedText } from '../contract/results/time-text.ts'
import { visible } from '../contract/results/visible.ts'
import { withCampaignSession } from './campaign-session.ts'
import type { OptionsOf } from './command-table.ts'
import { codeOfTries } from './live-replay-codes.ts'
import { type RecordedChoice, readRecorded } from './live-token.ts'
import type { Output } from './output.ts'
import { type ReportedLive, reportedLives } from './reported-run.ts'
import { resultsHead } from './tool-identity.ts'
import { withScheduleHost } from './with-schedule-host.ts'

type LiveReplayOptions = OptionsOf<'replay-live'>

/** A root cause with the run to replay. */
interface Job extends Pick<ReportedLive, 'shown'> {
  readonly chosen: RecordedChoice
  readonly pair: LoadedPair
  readonly scheduled: ScheduledRun
  readonly ms: number
}

/** The result for a root cause. */
interface Outcome extends Pick<ReportedLive, 'shown'> {
  readonly answer: LiveReplay['answer'] | 'left out'
  /** Why the root cause was not confirmed; null if it was. */
  readonly why: string | null
  readonly made: LiveReplay | null
}

export async function replayRootCauses(options: LiveReplayOptions, output: Output): Promise<ExitCode> {
  const { budget, atOnce } = options
  const reported = reportedLives(options)
  return withCampaignSession(output, false, async ({ deps, say }) => {
    const outcomes: Outcome[] = []
    const tell = (outcome: Outcome): void => {
      outcomes.push(outcome)
      say(lineOf(outcome, reported))
    }
    const jobs: Job[] = []
    for (const { shown, live } of reported) {
      if ('cannot' in live) tell({ shown, answer: 'cannot be made', why: live.cannot, made: null })
      else if (live.token === undefined)
        tell({ shown, answer: 'cannot be made', why: 'the report has no token or file of its run', made: null })
      else jobs.push(await jobOf(shown, live.token, live, deps))
    }
    jobs.sort((a, b) => a.ms - b.ms)
    const play = jobs.length > 0
    const fitting = jobs.filter(({ ms }) => ms <= budget)
    if (play) say(`${fitting.length} of ${reported.length} root causes, quickest first, ${totalText(fitting)}`)
    const startedMs = performance.now()
    const leftMs = () => budget - (performance.now() - startedMs)
    const makes = new Map<string, ReturnType<LiveHost['load']>>()
    const failed = play
      ? await withScheduleHost(
          jobs.map(({ chosen }) => chosen.choice),
          { ...options, atMost: budget },
          { deps, say },
          async (host) => {
            const left = [...jobs]
            await inParallel({ times: jobs.length, atOnce, stopped: deps.stopped }, async () => {
              const { shown, chosen, pair, scheduled, ms } = left.shift()!
              if (ms > leftMs()) {
                const why = `takes ${aboutText(ms)}; ${elapsedText(Math.max(0, Math.floor(leftMs() / 1_000)) * 1_000)} of --budget are left`
                return tell({ shown, answer: 'left out', why, made: null })
              }
              const { implementationPath } = chosen.choice
              const make = makes.get(implementationPath) ?? host.load(implementationPath)
              makes.set(implementationPath, make)
              const context = { deps, host, make: await make, atMostMs: Math.max(1, Math.ceil(leftMs())) }
              const made = await replayOnServers(pair, chosen.recorded, scheduled, context)
              tell({ shown, answer: made.answer, why: made.why, made })
            })
            return exitCodes.ok
          },
        )
      : exitCodes.ok
    const exitCode = failed !== exitCodes.ok ? failed : codeOf(outcomes, deps.stopped())
    if (reported.length === 0) say('the last report has no findings')
    if (output.json)
      await output.document({
        ...resultsHead(jobs[0]?.chosen.recorded.seed ?? options.seed),
        exitCode,
        rootCauses: outcomes.map(({ shown: { id, name, implementation, sink, title }, answer, why, made }) => {
          return { id, name, implementation, sink, title, answer, why, confirmation: made }
        }),
      })
    return exitCode
  })
}

async function jobOf(
  shown: Job['shown'],
  token: string,
  { options, breaks }: { readonly options: object; readonly breaks: LiveReplayViolation },
  deps: CampaignDeps,
): Promise<Job> {
  const chosen = await readRecorded(token, options, deps)
  const pair = await loadPair(chosen.choice, deps)
  const scheduled = await scheduleOfRun(pair, chosen.recorded, deps, { breaks })
  return { shown, chosen, pair, scheduled, ms: takesMs(scheduled.schedule.steps.slice(0, scheduled.until)) }
}

const totalText = (jobs: readonly Job[]): string => aboutText(jobs.reduce((sum, { ms }) => sum + ms, 0))

/** Success if the report has no root causes, so that there was nothing to confirm. */
function codeOf(outcomes: readonly Outcome[], interrupted: boolean): ExitCode {
  if (outcomes.length === 0 && !interrupted) return exitCodes.ok
  return codeOfTries(
    outcomes.flatMap(({ made }) => made ?? []),
    interrupted,
  )
}

/**
 * The line of a root cause, for example ` 3  confirmed: A crash after the effect repeats the effect
 * (0.7 s)`.
 */
function lineOf({ shown, answer, why, made }: Outcome, all: readonly ReportedLive[]): string {
  const { id, title, implementation, sink } = shown
  const several = new Set(all.map((one) => `${one.shown.implementation} ${one.shown.sink}`)).size > 1
  const of = several ? `, ${implementation}${sink === 'plain' ? '' : ` on a ${sink} sink`}` : ''
  const took = made === null || made.on === null ? '' : ` (${elapsedText(made.tookMs)})`
  const head = ` ${id.padEnd(2)} ${answer}: ${title}${of}${took}`
  return why === null ? head : `${head}\n    ${visible(why)}`
}
