/** What commands that run for long have around them, and what is put away when they end. */

import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { CampaignContext, Progress } from '../campaign/campaign-request.ts'
import type { RealRedisOffer } from '../campaign/crosscheck/real-redis.ts'
import { oneAtATime } from '../campaign/one-at-a-time.ts'
import { createDeps } from './create-deps.ts'
import { listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { ProgressLine } from './progress-line.ts'
import { type ExecutorOptions, startExecutor } from './start-executor.ts'

export interface CampaignSession {
  readonly deps: CampaignDeps
  readonly elapsedMs: () => number
  /** A line that stays. */
  readonly say: (line: string) => void
  readonly progress: (progress: Progress) => void
  readonly stopProgress: () => void
  /** Runs that are too long for a token, by the names of their files. */
  readonly files: Map<string, string>
  /** Hires as many hands as there are tasks for, and lets them go when `work` is done. */
  campaign<T>(want: CampaignWant, work: (context: CampaignContext, workers: number) => Promise<T>): Promise<T>
}

export interface CampaignWant extends ExecutorOptions {
  readonly realRedis: RealRedisOffer
  readonly pairDone: CampaignContext['pairDone']
  /** Nothing is said of it where these are left out. */
  readonly firstViolation?: CampaignContext['firstViolation']
  readonly firstStory?: CampaignContext['firstStory']
}

/** `quiet`: without progress. */
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
  const deps = createDeps(interrupt.stopped)
  const files = new Map<string, string>()
  try {
    return await work({
      deps,
      elapsedMs,
      say,
      files,
      progress: progress.update,
      stopProgress: () => progress.stop(),
      async campaign({ realRedis, pairDone, firstViolation = () => {}, firstStory = () => {}, ...wish }, hunt) {
        const alone = oneAtATime()
        const { executor, workers } = await startExecutor(wish, { deps, alone }, interrupt, say)
        const keep = (name: string, text: string) => void files.set(name, text)
        const tell = { progress: progress.update, pairDone, firstViolation, firstStory, keep }
        const context = { deps, executor, alone, elapsedMs, realRedis, ...tell }
        return hunt(context, workers).finally(() => executor.close())
      },
    })
  } finally {
    progress.stop()
    interrupt.release()
  }
}
