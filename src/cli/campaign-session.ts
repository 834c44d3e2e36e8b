/**
 * Shared parts of long-running commands: progress, interruption, dependencies, an executor, and
 * cleanup.
 */

import type { CampaignContext, Progress } from '../campaign/play/campaign-request.ts'
import { oneAtATime } from '../campaign/play/one-at-a-time.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { createDeps } from './create-deps.ts'
import { listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { ProgressLine } from './progress-line.ts'
import { type ExecutorOptions, startExecutor } from './start-executor.ts'
import { createStatusTable, endProgramsAtExit, takeSlot } from './status-table.ts'
import { stopOnUnhandledError } from './unhandled-errors.ts'
import { type LastWords, type PoolTasks, startWatchdog } from './watchdog.ts'

export interface CampaignSession {
  readonly deps: CampaignDeps
  readonly elapsedMs: () => number
  /** Prints a line, which the progress line does not overwrite. */
  readonly say: (line: string) => void
  readonly progress: (progress: Progress) => void
  readonly stopProgress: () => void
  /** Ends the session early, after the current runs. */
  readonly stop: () => void
  /** The files for runs that are too long for a token: content by file name. */
  readonly files: Map<string, string>
  /**
   * Sets the function that is called if the layer blocks this thread forever, replacing any earlier
   * one. The call interrupts the code that is running, and the process ends after the call.
   */
  lastWords(words: LastWords): void
  /** Starts min(workers, tasks) workers, runs `work`, and stops them. */
  campaign<T>(want: CampaignWant, work: (context: CampaignContext, workers: number) => Promise<T>): Promise<T>
}

/**
 * The options of a campaign. Without `realRedis` and `realPostgres`, no replies are compared with
 * real servers. Events without a listener are not reported.
 */
export interface CampaignWant
  extends ExecutorOptions,
    Partial<
      Pick<CampaignContext, 'realRedis' | 'realPostgres' | 'pairDone' | 'firstViolation' | 'firstStory' | 'soFar'>
    > {}

const unreported = { pairDone: () => {}, firstViolation: () => {}, firstStory: () => {}, soFar: () => {} }
const nothingToCompareWith = { kind: 'none', reason: 'this command compares nothing' } as const
const uncompared = { realRedis: nothingToCompareWith, realPostgres: nothingToCompareWith }

/** Runs `work` with a session, and cleans up afterwards. `quiet`: print no progress. */
export async function withCampaignSession<T>(
  output: Output,
  quiet: boolean,
  work: (session: CampaignSession) => Promise<T>,
): Promise<T> {
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs, quiet)
  const say = (line: string): void => {
    progress.clear()
    output.line(line)
  }
  const interrupt = listenForInterrupt(say, elapsedMs)
  const goOn = stopOnUnhandledError(interrupt.stop)
  const statusTable = createStatusTable()
  endProgramsAtExit(statusTable)
  const poolTasks: PoolTasks = new Map()
  let words: LastWords = () => undefined
  const stopWatching = startWatchdog(statusTable, output.json, (...happened) => words(...happened), { poolTasks })
  const deps = createDeps(interrupt.stopped, takeSlot(statusTable))
  const files = new Map<string, string>()
  try {
    return await work({
      deps,
      elapsedMs,
      say,
      files,
      progress: progress.update,
      stopProgress: () => progress.stop(),
      stop: interrupt.stop,
      lastWords: (last) => void (words = last),
      async campaign({ workers: wanted, tasks, fleet, ...reported }, play) {
        const alone = oneAtATime()
        const { executor, workers } = await startExecutor(
          { workers: wanted, tasks, fleet },
          { deps, alone },
          interrupt,
          statusTable,
          poolTasks,
          say,
        )
        const keep = (name: string, text: string) => void files.set(name, text)
        const report = { ...unreported, ...uncompared, ...reported, progress: progress.update, keep }
        const context = { deps, executor, alone, elapsedMs, ...report }
        return play(context, workers).finally(() => executor.close())
      },
    })
  } finally {
    progress.stop()
    goOn()
    interrupt.release()
    stopWatching()
  }
}
