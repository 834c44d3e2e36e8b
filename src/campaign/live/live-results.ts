/** Converts live runs to entries of the results. */

import { ChoiceTrail } from 'virtual-node/kernel'
import type { History } from '../../contract/api/history.ts'
import type { LiveOutcome } from '../../contract/results/live-run.ts'
import type { LiveEvidence, LiveViolation } from '../../contract/results/results.ts'
import { visible } from '../../contract/results/visible.ts'
import type { JudgedViolation } from '../causes/reported-violation.ts'
import { whyOfFacts } from '../causes/why/why-of-facts.ts'
import { factsOf } from '../token/nondeterminism.ts'
import type { CampaignDeps } from '../types.ts'
import type { ChosenRun } from './goals-not-asked.ts'

/**
 * Why a layer that holds live is still unknown: it breaks in the simulator in the same runs, and
 * either may be right.
 */
export function heldAgainst(made: readonly ChosenRun[]): string | null {
  const ways = new Set(made.flatMap(({ way }) => way ?? []))
  return ways.size === 0 ? null : `holds live, but breaks in the simulator in these runs: ${[...ways].join(', ')}`
}

/**
 * Why a pass of a recorded run proves little: the run was made without some of its faults, so it is
 * a different run. Null if all faults were made.
 */
export function notAsRecorded(
  { recorded }: { readonly recorded: object | null },
  { notMade }: Pick<LiveEvidence, 'notMade'>,
): string | null {
  if (recorded === null || notMade.length === 0) return null
  return `holds, but differs from the recorded run: played without ${notMade.map(({ fault }) => fault).join(', ')}`
}

/**
 * The members of a result that a tally counts. The digest is empty, because live runs are not
 * repeatable.
 */
export function asSimulated({ history, cells, cellsSeen }: LiveOutcome) {
  return {
    history,
    cells,
    cellsSeen,
    pairs: [],
    separated: [],
    digest: '',
    unsupported: [],
    unstruck: [],
    trail: new ChoiceTrail(),
    layerDigest: '',
    strikes: [],
    executed: [],
    scheduleHash: scheduleOf(history),
  }
}

/** The order of processes and outcomes, without times. */
function scheduleOf({ events }: History): string {
  return events.flatMap((event) => ('process' in event ? [`${event.type} ${event.process}`] : [])).join()
}

/** The violation with its story. */
export function liveViolation(
  run: number,
  { seed, again }: { readonly seed: number; readonly again: (run: number) => string },
  { history }: LiveOutcome,
  { invariant, violation }: JudgedViolation,
  deps: Pick<CampaignDeps, 'report'>,
): LiveViolation {
  const { kind, key, sentence } = violation
  const facts = factsOf(history).events
  const why = whyOfFacts(history, violation)
  return {
    invariant,
    kind,
    key,
    seed,
    run,
    token: null,
    sentence: visible(sentence),
    ...(why === null ? {} : { why: visible(why) }),
    replay: again(run),
    story: deps.report(history, violation, null),
    eventCount: facts.length,
    faultCount: facts.filter(({ type }) => type === 'fault-struck').length,
    shrunk: false,
    asPlayed: true,
  }
}

export function notesOf({ on, notMade, notSeen, clocks, timeScale }: LiveEvidence): string[] {
  const clock = clocks === null ? [] : [`clocks of consumers shifted by ${clocks}; their timers are unaffected`]
  return [
    `played live on ${on}, all durations of the plans × ${timeScale}`,
    ...clock,
    ...notMade.map(({ run, fault, why }) => `left out of live run ${run}: ${fault} (${why})`),
    ...notSeen.map(({ run, fault, why }) => `without visible effect in run ${run}, not counted: ${fault} (${why})`),
  ]
}
