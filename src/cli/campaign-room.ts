/** What commands that run for long have around them, and what is put away when they end. */
import type { Progress, Surroundings } from '../campaign/campaign-request.ts'
import type { RealRedisOffer } from '../campaign/gate/real-redis.ts'
import type { Workbench } from '../campaign/workbench.ts'
import type { PairResult } from '../contract/results.ts'
import { type CrewWish, hireCrew } from './hire-crew.ts'
import { listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { ProgressLine } from './progress-line.ts'
import { realWorkbench } from './real-workbench.ts'

export interface Room {
  readonly bench: Workbench
  readonly elapsedMs: () => number
  /** A line that stays. */
  readonly say: (line: string) => void
  readonly progress: (progress: Progress) => void
  readonly stopProgress: () => void
  /** Runs that are too long for a token, by the names of their files. */
  readonly files: Map<string, string>
  /** Hires as many hands as there are tasks for, and lets them go when `work` is done. */
  campaign<T>(want: CampaignWant, work: (around: Surroundings, workers: number) => Promise<T>): Promise<T>
}

export interface CampaignWant extends CrewWish {
  readonly realRedis: RealRedisOffer
  readonly pairDone: (pair: PairResult) => void
}

export async function inRoom<T>(output: Output, work: (room: Room) => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs)
  const say = (line: string): void => {
    progress.clear()
    output.line(line)
  }
  const interrupt = listenForInterrupt(say, elapsedMs)
  const bench = realWorkbench(interrupt.stopped)
  const files = new Map<string, string>()
  try {
    return await work({
      ...{ bench, elapsedMs, say, files, progress: progress.update, stopProgress: () => progress.stop() },
      async campaign({ realRedis, pairDone, ...wish }, hunt) {
        const { crew, workers } = await hireCrew(wish, bench, interrupt, say)
        const keep = (name: string, text: string) => void files.set(name, text)
        const around = { bench, crew, elapsedMs, realRedis, progress: progress.update, pairDone, keep }
        return hunt(around, workers).finally(() => crew.close())
      },
    })
  } finally {
    progress.stop()
    interrupt.release()
  }
}
