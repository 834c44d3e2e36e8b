/**
 * Risks that a layer, or a config, may accept: a layer on one store cannot withstand them, or its
 * environment rules them out. The list is closed. `src/campaign/accepted/risks.ts` defines for each
 * name the facts of a history that show the risk, and how to play the run without them. The names
 * appear in adapters and in results, and never change.
 */
export const riskTexts = {
  'redis-data-loss': 'Redis loses records: it is flushed, it evicts keys, or it restarts with less than it had',
  'asynchronous-failover': 'a failover of Redis or PostgreSQL loses writes that were answered',
  'asynchronous-commit': 'a crash of PostgreSQL loses commits that were answered (synchronous_commit = off)',
  'sink-forgets': 'a keyed sink forgets a key and applies its effect again',
  'copies-after-retention': 'a copy of a message arrives after the retention',
  'clock-steps-beyond-1-minute': 'a clock is stepped by more than a minute',
} as const
/**
 * The name of a risk that a layer or a config may accept.
 * @example
 * ```ts
 * import type { RiskName } from 'onceproof'
 *
 * const names: readonly RiskName[] = ['sink-forgets', 'asynchronous-failover']
 * ```
 */
export type RiskName = keyof typeof riskTexts
export const riskNames = Object.keys(riskTexts) as readonly RiskName[]

/**
 * A risk, and why its author accepts it.
 * @example
 * ```ts
 * import type { AcceptedRisk } from 'onceproof'
 *
 * const risk: AcceptedRisk = {
 *   what: 'redis-data-loss',
 *   because: 'our Redis writes its log with every command',
 * }
 * ```
 */
export interface AcceptedRisk {
  readonly what: RiskName
  /** The reason in words, for readers of the results. */
  readonly because: string
}

/** The code with which an adapter or a config accepts risks. */
export const acceptsText = (names: readonly RiskName[]): string =>
  `accepts: [${names.map((what) => `{ what: '${what}', because: '…' }`).join(', ')}]`

/**
 * The problem with a value of `accepts`, worded to follow "its `accepts`"; null if it is valid.
 */
export function acceptsProblem(accepts: unknown): string | null {
  if (!Array.isArray(accepts)) return "is not a list of { what, because: 'a reason in words' }"
  const names = new Set<unknown>()
  for (const one of accepts) {
    if (typeof one !== 'object' || one === null)
      return `has ${String(one)} instead of { what, because: 'a reason in words' }`
    const { what, because, ...more } = one as { readonly [member: string]: unknown }
    const [strange] = Object.keys(more)
    if (strange !== undefined) return `has an unknown member ${strange}; known: what and because`
    if (!(riskNames as readonly unknown[]).includes(what))
      return `names an unknown risk, ${String(what)}; known: ${riskNames.join(', ')}`
    if (typeof because !== 'string' || because.trim() === '') return `accepts ${what} without a reason in \`because\``
    if (names.has(what)) return `names ${what} twice`
    names.add(what)
  }
  return null
}
