/** The arrivals of a run as steps, and which of them happened before which. */
import type { Journey } from 'virtual-node/kernel'
import type { TimedChoice } from '../../sim/world/request.ts'
import type { RunResult } from '../types.ts'

/** One message that arrived. Its index is its place in the order of arrivals. */
export interface Step {
  readonly index: number
  readonly journey: Journey
  /** A name that the step has in every order that differs only in independent steps. */
  readonly name: string
  /** What it used: by name of the object, true if it changed the object. */
  readonly uses: ReadonlyMap<string, boolean>
  /** True if it changed something at the other end. The broker notes each message. */
  readonly changes: boolean
  /** The steps that must come before it in every order: they made a machine send it. */
  readonly sentAfter: Steps
  /** The steps that happened before it in this order, including itself. */
  readonly before: Steps
  /** The steps without which it is not known: directly sent after, or used the same object. */
  readonly direct: readonly number[]
  /** Those of `direct` after which it was sent. */
  readonly causes: readonly number[]
}

/** A set of steps, by index. */
export class Steps {
  readonly #words: Uint32Array

  constructor(readonly size: number) {
    this.#words = new Uint32Array((size + 31) >> 5)
  }

  has(index: number): boolean {
    return ((this.#words[index >> 5]! >>> (index & 31)) & 1) === 1
  }

  add(index: number): void {
    this.#words[index >> 5]! |= 1 << (index & 31)
  }

  addAll(other: Steps): void {
    for (let at = 0; at < this.#words.length; at++) this.#words[at]! |= other.#words[at]!
  }
}

/** By object: the last step that changed it, and those that have used it since. */
export class LastUses {
  readonly #last = new Map<string, { changed: number | null; used: number[] }>()

  /** The steps after which this one comes, because they used the same object. Call it in order. */
  before({ index, uses }: Pick<Step, 'index' | 'uses'>): number[] {
    const before: number[] = []
    for (const [object, changes] of uses) {
      const { changed, used } = this.#last.get(object) ?? { changed: null, used: [] }
      if (changes && used.length > 0) before.push(...used)
      else if (changed !== null) before.push(changed)
      this.#last.set(object, changes ? { changed: index, used: [] } : { changed, used: [...used, index] })
    }
    return before
  }
}

/** The order in which a run was played. */
export interface PlayedOrder {
  readonly steps: readonly Step[]
  /** The steps that must come before each message was sent, also if it never arrived. */
  readonly sentAfter: ReadonlyMap<Journey, Steps>
}

/** How many of the last writes of a process never arrive, because it crashed. */
export const writesLost = 'crash: writes lost'
/** Choices of a machine that its messages do not show: when it redelivers, which writes it lost. */
const hiddenChoices: readonly string[] = ['requeue at once', writesLost]
/** Choices with few values. */
export const branching: ReadonlySet<string> = new Set(['consumer', 'rebalance to', ...hiddenChoices])

/** `unreduced`: all requests that use something count as if they used one object. */
export function orderOf(
  { journeys, choices }: Pick<RunResult, 'journeys' | 'choices'>,
  unreduced = false,
): PlayedOrder {
  const { sent } = journeys!
  const branches = choices!.filter(({ what, chosen }) => chosen !== 0 && hiddenChoices.includes(what))
  const { arrived, stepsAfter } = withoutServers(journeys!.arrived)
  const indexOf = new Map<Journey, number>(arrived.map((journey, index) => [journey, index]))
  const known = { indexOf, stepsAfter }
  const steps: Step[] = []
  const sentAfter = new Map<Journey, Steps>()
  const lastUses = new LastUses()
  /** By consumer: the arrivals at its process, in order. */
  const atConsumers = new Map<string, number[]>()
  for (const [index, journey] of arrived.entries()) {
    const size = arrived.length
    const way = wayOf(journey.stream)
    const used = usesOf(journey, way)
    const uses = unreduced && way.toNode && used.size > 0 ? oneObject : used
    const causes = [...causesOf(journey, way, known, atConsumers)]
    const direct = new Set(causes)
    const must = new Steps(size)
    for (const one of direct) must.addAll(steps[one]!.before)
    sentAfter.set(journey, must)
    const before = new Steps(size)
    before.addAll(must)
    before.add(index)
    for (const one of lastUses.before({ index, uses })) {
      before.addAll(steps[one]!.before)
      direct.add(one)
    }
    if (!way.toNode) atConsumers.set(way.consumer, [...(atConsumers.get(way.consumer) ?? []), index])
    // Independent commands may be answered in any order, so replies have no number.
    const name = way.toNode
      ? `${journey.stream}${journey.nth}`
      : `${journey.stream}${branchesBefore(journey, way, branches)}`
    const changes = way.node === 'broker' || [...used.values()].some(Boolean)
    steps.push({ index, journey, name, uses, changes, sentAfter: must, before, direct: [...direct], causes })
  }
  for (const journey of sent) {
    if (sentAfter.has(journey) || isOfServers(journey)) continue
    const must = new Steps(arrived.length)
    for (const one of causesOf(journey, wayOf(journey.stream), known, atConsumers)) must.addAll(steps[one]!.before)
    sentAfter.set(journey, must)
  }
  return { steps, sentAfter }
}

/** Replication, gossip, elections, and questions to Sentinels: their order is not a choice. */
const isOfServers = ({ stream }: Journey): boolean => /^[a-z]+-\d+>[a-z]+-\d+$|~sentinel-\d+[<>]$/.test(stream)

/** `stepsAfter`: by the number of all arrivals, the number of those that count as steps. */
function withoutServers(all: readonly Journey[]) {
  const arrived: Journey[] = []
  const stepsAfter = [0]
  for (const journey of all) {
    if (!isOfServers(journey)) arrived.push(journey)
    stepsAfter.push(arrived.length)
  }
  return { arrived, stepsAfter }
}

interface KnownSteps {
  readonly indexOf: ReadonlyMap<Journey, number>
  readonly stepsAfter: readonly number[]
}

const oneObject: ReadonlyMap<string, boolean> = new Map([['everything', true]])

interface Way {
  readonly consumer: string
  /** The machine at the other end: `redis`, `sink`, `broker`, …; `loopback`: the process itself. */
  readonly node: string
  readonly toNode: boolean
}

const loopback = 'loopback'

function wayOf(stream: string): Way {
  const parts = /^(consumer-\d+)~(.+?)([<>]?)$/.exec(stream)
  if (parts === null || (parts[3] === '' && parts[2] !== loopback))
    throw new Error(`the order of messages on ${stream} is not known`)
  return { consumer: parts[1]!, node: parts[2]!, toNode: parts[3] === '>' }
}

/** The hidden choices that the machine had made when it sent the message. */
function branchesBefore({ sentUs }: Journey, { node }: Way, branches: readonly TimedChoice[]): string {
  const before = branches.filter(({ stream, atUs }) => atUs <= sentUs && (stream === node || stream === `node:${node}`))
  return before.map(({ what, chosen }) => ` ${what} ${chosen}`).join('')
}

function* causesOf(
  { behind, because, after }: Journey,
  { consumer, node, toNode }: Way,
  { indexOf, stepsAfter }: KnownSteps,
  atConsumers: ReadonlyMap<string, readonly number[]>,
): Iterable<number> {
  // A reply may wait for a replica, which answers the message that a step sent to it.
  while (because !== null && isOfServers(because)) because = because.because
  for (const one of [behind, because]) {
    const index = one === null ? undefined : indexOf.get(one)
    if (index !== undefined) yield index
  }
  // A process sends after everything that has arrived at it.
  const last =
    toNode || node === loopback ? atConsumers.get(consumer)?.findLast((index) => index < stepsAfter[after]!) : undefined
  if (last !== undefined) yield last
}

/**
 * A process handles its arrivals one by one. The sink and DynamoDB count as one object each. The
 * broker keeps each message separately.
 */
function usesOf({ uses }: Journey, { consumer, node, toNode }: Way): ReadonlyMap<string, boolean> {
  if (!toNode) return new Map([[consumer, true]])
  if (node === 'broker') return new Map()
  return node.startsWith('redis') || node === 'postgres' ? uses : new Map([[node, true]])
}
