/**
 * A child that plays many runs with different seeds and reads its memory between the runs. Needs
 * `--expose-gc`.
 */
import { answerParent } from './children.ts'
import { openWorld } from './contenders/simulator.ts'
import { megabytes } from './megabytes.ts'
import type { MemoryReading, MemoryResult } from './results.ts'

/**
 * The maximum heap growth from the first to the last reading, in megabytes. More counts as a leak.
 */
const slackMb = 4

answerParent(
  async ({ readAt }: { readAt: readonly number[] }): Promise<MemoryResult> => {
    const play = await openWorld()
    const readings: MemoryReading[] = []
    let played = 0
    for (const runs of readAt) {
      while (played < runs) await play(++played)
      globalThis.gc!()
      const { rss, heapUsed } = process.memoryUsage()
      readings.push({ runs, rssMb: megabytes(rss), heapUsedMb: megabytes(heapUsed) })
    }
    const grownMb = readings.at(-1)!.heapUsedMb - readings[0]!.heapUsedMb
    return { readings, peakRssMb: process.resourceUsage().maxRSS / 1024, flat: grownMb <= slackMb }
  },
  async () => {},
)
