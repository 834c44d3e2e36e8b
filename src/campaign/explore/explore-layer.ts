/** Explores a layer: first without faults, then with one fault at each step, and so on. */
import { canonicalJson } from '../../contract/api/json.ts'
import type { StoreKind } from '../../contract/api/store.ts'
import type { Executor } from '../play/executor.ts'
import type { Explored, ExploreTask, OrdersFound, Shape } from '../play/explore-tasks.ts'
import { noOrders } from './explore-orders.ts'
import { type Bounds, placements } from './explore-plan.ts'

export interface ExploreRequest extends Omit<ExploreTask, 'deliveries' | 'shape' | 'faults' | 'undelayed'> {
  readonly bounds: Bounds
  readonly shapes: readonly Shape[]
  readonly store: StoreKind
  /**
   * With this number of faults or more, no message is delayed: one order of each placement is
   * played, unless they would exceed `events`. If the runs are long, so that `events` would end
   * after a few of them, this also applies to lower numbers of faults.
   */
  readonly undelayedFrom?: number
}

/** One part of the exploration. */
type Part = Pick<ExploreTask, 'shape' | 'faults'>

export interface ExploreProgress {
  /** The number of faults of the placements that are being played. */
  readonly faults: number
  readonly done: number
  readonly of: number
  readonly runs: number
}

export interface Exploration {
  readonly found: OrdersFound
  /** The orders without faults, with one fault, and so on. */
  readonly levels: readonly ExploredLevel[]
}

export interface ExploredLevel {
  readonly faults: number
  readonly placements: number
  readonly placementsPlayed: number
  readonly orders: number
  /** True if every order was played. */
  readonly complete: boolean
}

interface ExploreContext {
  readonly executor: Pick<Executor, 'explore' | 'size'>
  readonly stopped: () => boolean
  readonly progress: (progress: ExploreProgress) => void
}

/** If a placement may not play as many runs as this, none of its messages is delayed. */
const fewRuns = 60

export async function exploreLayer(request: ExploreRequest, context: ExploreContext): Promise<Exploration> {
  const {
    bounds,
    bail,
    undelayedFrom = Number.POSITIVE_INFINITY,
    events: mostEvents = Number.POSITIVE_INFINITY,
  } = request
  const found = noOrders()
  const levels: ExploredLevel[] = []
  let placed: Part[] = request.shapes.map((shape) => ({ shape, faults: [] }))
  for (let faults = 0; ; faults++) {
    const isBounded = faults >= undelayedFrom
    // A violation without a delayed message is smaller than all others.
    const calm = bail || isBounded ? await playAll(placed, { faults, undelayed: true }, request, context, found) : []
    const isUndelayed = isBounded || calm.some(({ runs, events }) => runs * mostEvents < fewRuns * events)
    const isBroken = calm.some(({ broken }) => broken.length > 0)
    const explored =
      isBroken || isUndelayed ? calm : await playAll(placed, { faults, undelayed: false }, request, context, found)
    const orders = explored.reduce((sum, one) => sum + one.orders, 0)
    for (const one of explored) addFound(found, one)
    const isWhole = (one: Explored) => !one.isCut && !(bail && one.broken.length > 0)
    const complete = !isUndelayed && explored.length === placed.length && explored.every(isWhole)
    levels.push({ faults, placements: placed.length, placementsPlayed: explored.length, orders, complete })
    if (explored.length < placed.length && !(bail && found.broken.length > 0)) found.isCut = true
    const goesOn = faults < bounds.faults && (!found.isCut || faults + 1 >= undelayedFrom)
    if (!goesOn || context.stopped() || (bail && found.broken.length > 0)) return { found, levels }
    placed = nextPlacements(placed, explored, request)
    const estimate = placed.length * (found.events / Math.max(1, found.runs))
    const isTooMuch = faults + 1 >= undelayedFrom && estimate > mostEvents
    if (placed.length === 0 || isTooMuch) return { found, levels }
  }
}

/**
 * Plays the placements side by side, and returns their results in order, up to the first one that
 * broke if the exploration stops there. The result does not depend on the number of workers.
 */
async function playAll(
  placed: readonly Part[],
  { faults, undelayed }: { readonly faults: number; readonly undelayed: boolean },
  { bounds, shapes: _, store: __, undelayedFrom: ___, ...request }: ExploreRequest,
  { executor, stopped, progress }: ExploreContext,
  before: OrdersFound,
): Promise<Explored[]> {
  const results: Explored[] = []
  let next = 0
  let done = 0
  let { runs } = before
  let firstBroken = Number.POSITIVE_INFINITY
  const isOver = () => next >= placed.length || next > firstBroken || stopped()
  const work = async () => {
    while (!isOver()) {
      const at = next++
      const explored = await executor.explore({ ...request, undelayed, deliveries: bounds.deliveries, ...placed[at]! })
      results[at] = explored
      runs += explored.runs
      if (!undelayed) progress({ faults, done: ++done, of: placed.length, runs })
      if (request.bail && explored.broken.length > 0) firstBroken = Math.min(firstBroken, at)
    }
  }
  await Promise.all(Array.from({ length: executor.size }, work))
  return results.slice(0, Math.min(firstBroken + 1, results.length))
}

function addFound(all: OrdersFound, one: OrdersFound): void {
  for (const name of ['orders', 'runs', 'events', 'broke', 'known', 'beyondLatency'] as const) all[name] += one[name]
  all.isCut ||= one.isCut
  for (const what of one.unknown) all.unknown.add(what)
  for (const outcome of one.outcomes) all.outcomes.add(outcome)
  all.broken.push(...one.broken)
}

/**
 * Each placement with one more fault, at each step that one of its orders had. The consumers do not
 * differ without faults, so the first fault strikes the first one. A redelivery needs another one.
 */
function nextPlacements(
  placed: readonly Part[],
  explored: readonly Explored[],
  { bounds: { kinds, deliveries }, store }: ExploreRequest,
): Part[] {
  const all = new Map<string, Part>()
  for (const [at, { shape, faults: before }] of placed.entries()) {
    const consumers = shape === 'apart' ? deliveries : 1
    const possible = consumers > 1 ? kinds : kinds.filter((kind) => kind !== 'redelivery')
    const slots = before.length === 0 ? [0] : Array.from({ length: consumers }, (_, slot) => slot)
    for (const one of placements(possible, explored[at]!.passed, { slots, store })) {
      const faults = [...before, one]
      const names = faults.map(({ fault }) => canonicalJson(fault as never)).sort()
      const name = `${shape} ${names.join()}`
      if (new Set(names).size === names.length && !all.has(name)) all.set(name, { shape, faults })
    }
  }
  return [...all.values()]
}
