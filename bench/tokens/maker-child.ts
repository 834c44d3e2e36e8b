/**
 * A child that plays the version that made tokens: where a run led there, in which ways it broke, and which faults it
 * needed. Two versions in one process would both replace its timers and sockets.
 */
import type { RecordedRun } from '../../src/campaign/token.ts'
import { answerParent } from '../children.ts'
import type { Cause } from './find-again.ts'
import { Version } from './version.ts'

/** Null where that version does not follow the token either, or nothing breaks. */
export type Made = Cause | null

const version = Version.open(process.argv[2]!)

answerParent(
  async (run: RecordedRun): Promise<Made> => {
    const maker = await version
    const pair = await maker.pairOf(run)
    if (pair === null) return null
    const { digest, choiceCount, ways } = await maker.play(pair, run)
    if (digest !== run.digest || choiceCount !== run.choiceCount || ways.length === 0) return null
    return { ways, faults: await maker.neededFaults(pair, run, ways) }
  },
  async () => {},
)
