/** What commands that run for long have around them, and what is put away when they end. */
import type { Progress, Surroundings } from '../campaign/campaign-request.ts'
import type { RealRedisOffer } from '../campaign/gate/real-redis.ts'
import { oneAtATime } from '../campaign/one-at-a-time.ts'
import type { Workbench } from '../campaign/workbench.ts'
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
  readonly pairDone: Surroundings['pairDone']
  /** Nothing is said of it where these are left out. */
  readonly firstViolation?: Surroundings['firstViolation']
  readonly firstStory?: Surroundings['firstStory']
}

/** `quiet`: without progress. */
export async function inRoom<T>(output: Output, quiet: boolean, work: (room: Room) => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs, quiet)
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
      async campaign({ realRedis, pairDone, firstViolation = () => {}, firstStory = () => {}, ...wish }, hunt) {
        const alone = oneAtATime()
        const { crew, workers } = await hireCrew(wish, { bench, alone }, interrupt, say)
        const keep = (name: string, text: string) => void files.set(name, text)
        const tell = { progress: progress.update, pairDone, firstViolation, firstStory, keep }
        const around = { bench, crew, alone, elapsedMs, realRedis, ...tell }
        return hunt(around, workers).finally(() => crew.close())
      },
    })
  } finally {
    progress.stop()
    interrupt.release()
  }
}
