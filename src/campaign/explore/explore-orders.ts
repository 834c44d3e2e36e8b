/** Plays every order of the messages of one plan. */

import type { Judgement } from '../../check/index.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { TimedChoice } from '../../sim/world/request.ts'
import { violationsOf } from '../causes/reported-violation.ts'
import type { OrdersFound } from '../play/explore-tasks.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { playAndJudge } from '../play/play-and-judge.ts'
import { emptyTally } from '../tally/tally.ts'
import { type ChoiceLists, sourceOf, withoutCalm } from '../token/run-choices.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'
import { type Beginning, PlayedOrders } from './played-orders.ts'
import { racesOf, reversed } from './races.ts'
import { branching, orderOf, type PlayedOrder, type Step, writesLost } from './steps.ts'

/** The seed of the layer's random numbers in every order. */
export const exploredSeed = 1

export interface OrdersRequest {
  readonly pair: LoadedPair
  readonly sink: WorldRequest['sink']
  readonly plan: Plan
  /** True to stop at the first order that violates an invariant. */
  readonly bail: boolean
  /** True to play only the order in which no message is delayed. */
  readonly undelayed?: boolean
  /** True to play every order of two steps, also if they used nothing in common. */
  readonly unreduced?: boolean
  /** Called before each run: true to end the exploration early. */
  readonly isOver: () => boolean
}

export const noOrders = (): OrdersFound => ({
  ...{ orders: 0, runs: 0, events: 0, broke: 0, known: 0, beyondLatency: 0, isCut: false },
  ...{ unknown: new Set(), broken: [], outcomes: new Set() },
})

/** A run to play. */
interface Candidate {
  readonly choices: ChoiceLists
  /** What no played order began with when it was found; null if it makes another choice. */
  readonly beginning: Beginning | null
}

/**
 * Plays all orders, those with the fewest delayed messages first. `seen`: called with each run.
 */
export async function exploreOrders(
  { pair, sink, plan, bail, undelayed = false, unreduced = false, isOver }: OrdersRequest,
  found: OrdersFound,
  deps: CampaignDeps,
  seen: (result: RunResult, order: PlayedOrder) => void = () => {},
): Promise<void> {
  const byDelays: Candidate[][] = [[{ choices: {}, beginning: null }]]
  const branched = new Set<string>()
  const played = new PlayedOrders()
  const kinds = new Set<string>()
  let delays = 0
  const add = (candidate: Candidate) => {
    // A run that was found late may have fewer delays than those that are being played.
    ;(byDelays[Math.max(delays, delaysIn(candidate.choices))] ??= []).push(candidate)
  }
  const tally = emptyTally()
  for (; delays < byDelays.length; delays++) {
    for (const { choices, beginning } of byDelays[delays] ?? []) {
      if (beginning !== null && played.has(beginning)) {
        found.known++
        continue
      }
      if (isOver()) {
        found.isCut = true
        return
      }
      const request = { ...pair, sink, plan, choices: sourceOf({ choiceSeed: exploredSeed, choices }), record: false }
      const wants = { journeys: true, listChoices: true }
      const { result, verdicts } = await playAndJudge(found.runs++, { ...request, ...wants }, tally, deps)
      found.events += result.eventCount
      const { journeys } = result
      // With Sentinels, a server also works on its own: it replicates, restarts and loads its data.
      const usedLater = plan.redis === undefined ? journeys!.usedLater : []
      for (const what of [...result.unsupported, ...usedLater]) found.unknown.add(what)
      const order = orderOf(result, unreduced)
      seen(result, order)
      if (!played.add(order, repliesOf(result))) continue
      found.orders++
      found.outcomes.add(outcomeOf(result, verdicts))
      const violations = violationsOf(verdicts)
      if (violations.length > 0) found.broke++
      for (const { invariant, violation } of violations) {
        const { kind } = violation
        if (kinds.has(`${invariant} ${kind}`)) continue
        kinds.add(`${invariant} ${kind}`)
        found.broken.push({ plan, choices: withoutCalm(choices), invariant, kind })
      }
      if (undelayed || (bail && violations.length > 0)) return
      for (const race of racesOf(order)) {
        const beginning = played.beginningOf(race, order)
        if (played.has(beginning)) {
          found.known++
          continue
        }
        const turned = reversed(race, order, result)
        if (turned === null) found.beyondLatency++
        else add({ choices: turned, beginning })
      }
      for (const choices of branchesOf(result, order, plan)) {
        const name = JSON.stringify(choices)
        if (!branched.has(name)) add({ choices, beginning: null })
        branched.add(name)
      }
    }
  }
}

/** The number of messages that are later than they could be. */
function delaysIn(choices: ChoiceLists): number {
  return Object.values(choices).reduce((sum, list) => sum + list.filter((chosen) => chosen !== 0).length, 0)
}

/**
 * The same run up to each choice with few values, and there another value. In one run, only one
 * redelivery goes to another than the first idle consumer, and none does if nothing has changed
 * since the redelivery before, and nothing changes by this one: the earlier one could go there.
 */
function* branchesOf(
  { choices }: Pick<RunResult, 'choices'>,
  { steps }: PlayedOrder,
  { faults, messages }: Plan,
): Iterable<ChoiceLists> {
  const areEqual = !faults.some(({ kind }) => kind === 'redelivery')
  const toConsumers = choices!.filter(({ what }) => what === 'consumer')
  const changesUs = steps.filter(isChange).map(({ journey }) => journey.arrivedUs!)
  /** True for a redelivery like the one before it. */
  const isLikeBefore = (nth: number) => {
    const [before, own, after] = [toConsumers[nth - 1]!, toConsumers[nth]!, toConsumers[nth + 1]]
    const endUs = after?.atUs ?? Number.POSITIVE_INFINITY
    const changed = changesUs.some((atUs) => atUs > before.atUs && atUs <= endUs)
    return nth > messages.length && areEqual && before.chosen === 0 && before.n === own.n && !changed
  }
  let deliveries = 0
  let isElsewhere = false
  for (const [at, choice] of choices!.entries()) {
    const { stream, what, n, chosen } = choice
    const delivery = what === 'consumer' ? deliveries++ : null
    const isAgain = delivery !== null && delivery >= messages.length
    if (isAgain && chosen !== 0) isElsewhere = true
    // The messages are equal unless a fault redelivers one, so the first one may go to the first.
    const isSame = delivery === 0 && areEqual
    if (!branching.has(what) || chosen !== 0 || isSame || (isAgain && isElsewhere)) continue
    if (what === writesLost && !isLossSeen(choice, steps)) continue
    if (isAgain && isLikeBefore(delivery)) continue
    for (let other = 1; other < n; other++) {
      const lists: Record<string, number[]> = {}
      for (const one of choices!.slice(0, at)) (lists[one.stream] ??= []).push(one.chosen)
      ;(lists[stream] ??= []).push(other)
      yield withoutCalm(lists)
    }
  }
}

/** True if it changed a store or the sink. */
const isChange = ({ journey: { stream }, changes }: Step): boolean =>
  changes && stream.endsWith('>') && !stream.endsWith('~broker>')

/** False if the process had sent nothing that changed something when it arrived. */
function isLossSeen({ stream, atUs }: TimedChoice, steps: readonly Step[]): boolean {
  return steps.some(
    ({ journey, changes }) =>
      changes && journey.stream === stream && journey.sentUs <= atUs && journey.arrivedUs! >= atUs,
  )
}

/** What each process received: two runs with one order may still differ by the time that passed. */
function repliesOf({ executed }: RunResult): string {
  const texts = new Map<string, string>()
  for (const { process, label, reply } of executed) {
    const kind = reply === null ? '-' : typeof reply === 'number' ? (reply > 1 ? 'n' : reply) : typeof reply
    texts.set(process, `${texts.get(process) ?? ''} ${label} ${kind}`)
  }
  return [...texts].sort().join()
}

function outcomeOf({ history }: RunResult, verdicts: readonly Judgement[]): string {
  const broken = violationsOf(verdicts).map(({ invariant, violation }) => `${invariant} ${violation.kind}`)
  const count = (type: string) => history.events.filter((event) => event.type === type).length
  const answers = history.events.flatMap((event) => (event.type === 'answered' ? [event.outcome.status] : []))
  return [...broken.sort(), `${count('effect-applied')} effects`, ...answers.sort()].join()
}
