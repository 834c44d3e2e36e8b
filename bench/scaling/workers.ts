/**
 * Compares two workers with one. For reference, also compares two plain loops with one on the same
 * machine.
 */
import { startChild } from '../children.ts'
import { runCommand, withReports } from '../commands/run-command.ts'
import { type Spread, spreadOf } from '../spread.ts'

export interface WorkersResult {
  readonly command: string
  /** The time with one worker divided by the time with two workers. */
  readonly twoWorkers: Spread
  /** The progress of two loops divided by the progress of one loop. */
  readonly twoLoops: Spread
  readonly aim: number
  readonly met: boolean
}

const aim = 1.8

export interface WorkersPlan {
  readonly folder: string
  readonly rounds: number
  readonly quick: boolean
  readonly print: (line: string) => void
}

export async function measureWorkers({ folder, rounds, quick, print }: WorkersPlan): Promise<WorkersResult> {
  const args = quick ? ['run', '--scenario', 'key-reuse', '--runs', '100'] : ['run', '--runs', '100']
  const wallMs = (workers: number) =>
    withReports(async (reports) => {
      const all = [...args, '--no-html', '--workers', String(workers), '--reports', reports]
      return (await runCommand({ folder, args: all })).wallMs
    })
  const workers: number[] = []
  const loops: number[] = []
  for (let round = 1; round <= rounds; round++) {
    print(`one worker and two, round ${round} of ${rounds}`)
    workers.push((await wallMs(1)) / (await wallMs(2)))
    loops.push(await loopRatio(quick ? 200 : 1000))
  }
  const twoWorkers = spreadOf(workers)
  return {
    command: `sim ${args.join(' ')}`,
    twoWorkers,
    twoLoops: spreadOf(loops),
    aim,
    met: twoWorkers.median >= aim,
  }
}

async function loopRatio(ms: number): Promise<number> {
  const loop = () => startChild<{ ms: number }, number>('scaling/busy-loop-child.ts', [])
  const loops = [await loop(), await loop()] as const
  try {
    // The first turn includes compilation, so it is short and not counted.
    for (const loop of loops) await loop.ask({ ms: ms / 10 })
    const alone = await loops[0].ask({ ms })
    const together = await Promise.all(loops.map((loop) => loop.ask({ ms })))
    return together.reduce((sum, turns) => sum + turns, 0) / alone
  } finally {
    for (const loop of loops) await loop.close()
  }
}
