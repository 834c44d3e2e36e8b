/**
 * A child that plays the version that made tokens: which run a token is of, in which ways it broke,
 * and which faults it needed. Two versions in one process would both replace its timers and
 * sockets.
 */

import { answerParent } from '../../bench/children.ts'
import type { RecordedRun } from '../../src/campaign/token/token.ts'
import type { Cause } from './find-again.ts'
import { follows, Version } from './version.ts'

/** The cause is null where that version does not follow the token either, or nothing breaks. */
export interface Made {
  readonly run: RecordedRun
  readonly cause: Cause | null
  /** A layer or scenario that the checkout does not have. */
  readonly lacks?: string
}

const version = Version.open(process.argv[2]!)
// Each question is answered with the error.
version.catch(() => {})

/** Null where that version cannot read the token either. */
answerParent(
  async (token: string): Promise<Made | null> => {
    const maker = await version
    const run = maker.decode(token)
    if (run === null) return null
    const pair = await maker.pairOf(run)
    if (pair === null) return { run, cause: null, lacks: maker.missing(run) }
    const played = await maker.play(pair, run)
    if (!follows(played, run) || played.ways.length === 0) return { run, cause: null }
    const { ways } = played
    return { run, cause: { ways, faults: await maker.neededFaults(pair, run, ways) } }
  },
  async () => {},
)
