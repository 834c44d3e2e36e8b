/**
 * A child that runs the version that made the tokens: it returns the run of a token, how it broke,
 * and which faults it needed. It is a separate process, because two versions in one would both
 * replace its timers and sockets.
 */

import { answerParent } from '../../bench/children.ts'
import type { RecordedRun } from '../../src/campaign/token/token.ts'
import type { Cause } from './find-again.ts'
import { follows, Version } from './version.ts'

/** The cause is null if that version does not follow the token either, or if nothing breaks. */
export interface Made {
  readonly run: RecordedRun
  readonly cause: Cause | null
  /** A layer or scenario that the checkout does not have. */
  readonly lacks?: string
}

const version = Version.open(process.argv[2]!)
// Each question is answered with the error.
version.catch(() => {})

/** Null if that version cannot read the token either. */
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
