/**
 * Checks that a cut between two sides of nodes had an effect: no node received a pong from the
 * other side during the cut, and some node waited for a pong, or considered a node of the other
 * side failed or disconnected. Uses the nodes' views (`CLUSTER NODES`:
 * https://redis.io/docs/latest/commands/cluster-nodes/).
 */

import { refuted, type Seen, seen, unseen } from '../evidence/evidence.ts'
import type { HeldMachine } from '../held/held-machine.ts'
import type { LiveCluster } from './live-cluster.ts'

/** How late a busy machine may read a message that was sent before the cut, in milliseconds. */
const underWayMs = 250
/** A ping that is unanswered for this many milliseconds counts as missed. */
const missedMs = 50

type Cluster = Pick<LiveCluster, 'named' | 'placeOf'>

export interface CutSides {
  readonly machines: readonly string[]
  readonly others: readonly string[]
}

/** What one node knows of another. Times are milliseconds since the epoch. */
interface Heard {
  readonly of: string
  readonly by: string
  readonly isMissed: boolean
  readonly lastMs: number
}

export class CutWatch {
  readonly #fromMs = Date.now()
  #seen: Promise<Seen> | null = null

  constructor(
    private readonly cluster: Cluster,
    private readonly sides: CutSides,
  ) {}

  /** Must be called just before the sides are reconnected, or at the end of the run. */
  look(): Promise<Seen> {
    this.#seen ??= this.#look()
    return this.#seen
  }

  async #look(): Promise<Seen> {
    const { machines, others } = this.sides
    const atMs = Date.now()
    const asked = [
      ...machines.map((by) => this.#heardBy(by, others, atMs)),
      ...others.map((by) => this.#heardBy(by, machines, atMs)),
    ]
    const heard = (await Promise.all(asked)).flat()
    const through = heard.find(({ lastMs }) => lastMs > this.#fromMs + underWayMs)
    if (through !== undefined) return refuted(`${through.by} still got messages from ${through.of}`)
    return heard.some(({ isMissed }) => isMissed) ? seen : unseen('no node noticed that another one was gone')
  }

  /** What the node `by` knows of the nodes `others`; empty if `by` does not answer. */
  async #heardBy(by: string, others: readonly string[], atMs: number): Promise<Heard[]> {
    const node = this.cluster.named(by)
    const text = await saysSoon(node)
    const lines = text.split('\n').map((line) => line.split(' '))
    return others.flatMap((of) => {
      const { id } = this.cluster.placeOf({ name: of })
      const [, , flags = '', , ping, pong, , state] = lines.find(([its]) => its === id) ?? []
      if (pong === undefined) return []
      const isLate = Number(ping) > 0 && atMs - Math.max(this.#fromMs, Number(ping)) > missedMs
      return [{ of, by, isMissed: isLate || state === 'disconnected' || flags.includes('fail'), lastMs: Number(pong) }]
    })
  }
}

const timeoutMs = 500

async function saysSoon(node: HeldMachine): Promise<string> {
  if (!node.up || node.frozen) return ''
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, '')
  })
  const said = node.call('CLUSTER', 'NODES').then(String, () => '')
  return Promise.race([said, late]).finally(() => clearTimeout(timer))
}
