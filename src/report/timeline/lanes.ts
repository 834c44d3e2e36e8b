import type { RunTrace } from '../../contract/results/run-trace.ts'
import type { Lane } from '../../contract/results/timeline.ts'

type LanesOf = Pick<RunTrace, 'consumers' | 'servers' | 'stores' | 'sentinels' | 'questions'>

const together = 'sentinels'

/** The lanes of a picture from left to right, and the lane of each participant. */
export class Lanes {
  readonly all: readonly Lane[]
  readonly broker = 0
  readonly sink: number
  readonly #inOne: ReadonlySet<string>

  /**
   * `apart`: true if each Sentinel has a separate lane. Otherwise all Sentinels share one lane, if
   * a client asked one of them.
   */
  constructor({ consumers, servers, stores, sentinels, questions }: LanesOf, apart: boolean) {
    this.#inOne = new Set(apart ? [] : sentinels)
    const watching = apart ? sentinels : questions.length > 0 ? [together] : []
    this.all = [
      { name: 'broker', kind: 'broker' },
      ...consumers.map((name) => ({ name, kind: 'consumer' }) as const),
      ...servers.map((name) => ({ name, kind: 'redis' }) as const),
      ...stores.map((name) => ({ name, kind: 'store' }) as const),
      ...watching.map((name) => ({ name, kind: 'sentinel' }) as const),
      { name: 'sink', kind: 'sink' },
    ]
    this.sink = this.all.length - 1
  }

  /** The lane of a process (of any incarnation), a server or a Sentinel; null if it has none. */
  of(name: string): number | null {
    const slot = this.#inOne.has(name) ? together : name.replace(/^(consumer-\d+)\.\d+$/, '$1')
    const at = this.all.findIndex((lane) => lane.name === slot)
    return at === -1 ? null : at
  }

  /**
   * The lanes whose names occur in a sentence of the harness. If there are several servers, `redis`
   * stands for all of them.
   */
  namedIn(sentence: string): number[] {
    const words = new Set(sentence.match(/[\w-]+(?:\.\d+)?/g)?.map((word) => word.replace(/\.\d+$/, '')))
    const named = this.all.flatMap(({ name }, at) => (words.has(name) ? [at] : []))
    if (named.some((at) => this.all[at]!.kind === 'redis') || !words.has('redis')) return named
    return [...named, ...this.all.flatMap(({ kind }, at) => (kind === 'redis' ? [at] : []))]
  }
}
