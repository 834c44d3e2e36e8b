/**
 * A child that loads the version that made the tokens. It returns the run of a token, how the run
 * broke, and which faults it needed. It is a separate process, because two versions in one process
 * would both replace its timers and sockets.
 */

import { answerParent } from '../../bench/children.ts'
import type { RecordedRun } from '../../src/campaign/token/token.ts'
import type { Cause } from './find-again.ts'
import { follows, Version } from './version.ts'

/**
 * `cause` is null if the run does not take the recorded path in the maker's version either, or if
 * nothing breaks.
 */
export interface Made {
  readonly run: RecordedRun
  readonly cause: Cause | null
  /** The layer or scenario that the checkout lacks. */
  readonly lacks?: string
}

const version = Version.open(process.argv[2]!)
// A rejection is reported by each answer.
version.catch(() => {})

/** The answer is null if the maker's version cannot read the token either. */
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
