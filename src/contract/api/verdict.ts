import type { History } from './history.ts'
import type { HistoryIndex } from './history-index.ts'
import type { Implementation, Mechanism } from './implementation.ts'
import { storesText, usualStores } from './store.ts'

/**
 * Every invariant, in the order of reports, with its severity: 0 is the worst. Repeated effects are
 * the worst, followed by false claims, losses, lateness and wrong answers. The names appear in
 * reports, in JSON and in users' CI, and never change.
 */
export const severities = {
  'at-most-once': 0,
  'no-lost-message': 2,
  'no-needless-park': 6,
  'no-false-done': 1,
  'same-result': 5,
  'payload-bound': 4,
  'bounded-stall': 3,
  'no-immortal-keys': 7,
} as const
/**
 * The name of a built-in invariant.
 * @example
 * ```ts
 * import type { BuiltInName } from 'onceproof'
 *
 * const judged: readonly BuiltInName[] = ['at-most-once', 'no-lost-message']
 * ```
 */
export type BuiltInName = keyof typeof severities
export const invariantNames = Object.keys(severities) as readonly BuiltInName[]

/**
 * The invariants for stores other than Redis. `no-immortal-keys` counts Redis keys; rows and items
 * that are never deleted are not judged.
 */
export const besidesRedisKeys = invariantNames.filter((name) => name !== 'no-immortal-keys')

/**
 * A scenario's own invariants have a prefix, so that they cannot clash with built-in ones that are
 * added later.
 * @example
 * ```ts
 * import type { OwnName } from 'onceproof'
 *
 * const name: OwnName = 'own:applied-in-time'
 * ```
 */
export type OwnName = `own:${string}`
/**
 * The name of an invariant: a built-in one, or one of a scenario.
 * @example
 * ```ts
 * import type { InvariantName } from 'onceproof'
 *
 * const names: readonly InvariantName[] = ['same-result', 'own:applied-in-time']
 * ```
 */
export type InvariantName = BuiltInName | OwnName

/** Invariants that depend on a mechanism of the layer. */
const mechanisms: { readonly [name in InvariantName]?: Mechanism } = { 'same-result': 'stored-result' }

/** Optional declarations of a layer that an invariant of a scenario may require. */
export const declarations = [
  'bindsProducedAt',
  'maxClockSkewMs',
  'answersWithinMs',
  'deadLetterReasons.failed',
  'deadLetterReasons.failed.retry',
  'deadLetterReasons.vanished',
  'withoutKey',
] as const
/**
 * An optional declaration of a layer that an invariant of a scenario may require.
 * @example
 * ```ts
 * import type { Declaration } from 'onceproof'
 *
 * const needs: Declaration = 'answersWithinMs'
 * ```
 */
export type Declaration = (typeof declarations)[number]

type Declares = Partial<
  Pick<
    Implementation,
    'bindsProducedAt' | 'maxClockSkewMs' | 'answersWithinMs' | 'deadLetterReasons' | 'withoutKey' | 'lacks' | 'stores'
  >
>

/**
 * Why an invariant does not apply to a layer: the layer lacks a mechanism, does not keep records in
 * Redis, or does not make the declaration that an invariant in the scenario's `own` needs. Null if
 * the invariant applies.
 */
export function notAsked(name: InvariantName, layer: Declares, own: readonly OwnInvariant[] = []): string | null {
  const { lacks = [], stores = usualStores } = layer
  const needs = own.find((one) => ownName(one) === name)?.needs
  if (needs !== undefined && !declares(layer, needs)) return `the layer does not declare \`${needs}\``
  const mechanism = mechanisms[name]
  if (mechanism !== undefined && lacks.includes(mechanism)) return `the layer declares lacks: ['${mechanism}']`
  // The invariant counts Redis keys. For a layer without Redis keys it would pass without having
  // checked anything.
  if (name === 'no-immortal-keys' && !stores.includes('redis'))
    return `counts keys of Redis, but the layer keeps its records in ${storesText(stores)}`
  return null
}

function declares(layer: Declares, declaration: Declaration): boolean {
  if (declaration === 'deadLetterReasons.failed') return layer.deadLetterReasons?.failed !== undefined
  if (declaration === 'deadLetterReasons.failed.retry') return layer.deadLetterReasons?.failed?.retry !== undefined
  if (declaration === 'deadLetterReasons.vanished') return layer.deadLetterReasons?.vanished !== undefined
  return layer[declaration] !== undefined
}

/**
 * One way in which a history breaks an invariant.
 * @example
 * ```ts
 * import type { Violation } from 'onceproof'
 *
 * const late = (key: string, seq: number): Violation => ({
 *   ...{
 *     kind: 'late',
 *     key,
 *     sentence: `The effect of ${key} came after a minute.`,
 *     events: [seq],
 *   },
 * })
 * ```
 */
export interface Violation {
  /**
   * Distinguishes violations of one invariant: `zombie`, `repeat-after-crash`, …. The names never
   * change.
   */
  readonly kind: string
  /** The idempotency key that is affected; null if no single key is. */
  readonly key: string | null
  /** One sentence for a person, with names and virtual times. */
  readonly sentence: string
  /** `seq` of the events that show the violation, in order. */
  readonly events: readonly number[]
  /**
   * The violation occurs only because a keyed sink had forgotten the key and so applied the effect
   * again.
   */
  readonly sinkForgot?: true
}

export type Verdict =
  | { readonly verdict: 'valid' }
  /**
   * `doubt`: why the verdict would be unknown without these violations. Absent: it would be valid.
   */
  | { readonly verdict: 'violated'; readonly violations: readonly Violation[]; readonly doubt?: string }
  | { readonly verdict: 'unknown'; readonly reason: string }
  /** The invariant does not apply to this layer. */
  | { readonly verdict: 'n/a'; readonly reason: string }

/** The texts about an invariant, for `list` and for reports. */
export interface InvariantDoc {
  /** What the invariant demands, in one sentence for the command `list`. */
  readonly about: string
  /** What the invariant demands, in one sentence for readers of reports. */
  readonly demand: string
  /** What a violation means, as a heading. */
  readonly broken: string
  /**
   * What should have happened instead, by kind of violation. The entry `a` applies to every kind
   * `a:b` that has no entry.
   */
  readonly remedies: { readonly [kind: string]: string }
}

/**
 * A property of a history. It reads facts only, never traces, so that the verdict does not depend
 * on whether the run was recorded.
 */
export interface Invariant extends InvariantDoc {
  readonly name: BuiltInName
  judge(history: History): Verdict
}

/**
 * The findings of a checker in one history, grouped by the runs in which they are valid. A run is
 * whole if it came to rest and used nothing that is not simulated. In any other run, findings that
 * the missing part could have changed do not count.
 * @example
 * ```ts
 * import type { Findings } from 'onceproof'
 *
 * const none: Findings = {}
 * const late: Findings = {
 *   always: [{ kind: 'late', key: 'order-1', sentence: 'It came late.', events: [12] }],
 * }
 * ```
 */
export interface Findings {
  /** Findings based on facts that nothing can undo: valid in every run. */
  readonly always?: readonly Violation[]
  /**
   * Findings that are valid even if a budget was spent, but not after a command that is not
   * simulated, because the error of that command may have misled the layer.
   */
  readonly whereSupported?: readonly Violation[]
  /** Findings that are valid only in a run that came to rest. */
  readonly atEnd?: readonly Violation[]
  /** Why this checker cannot decide, although the run is whole. */
  readonly doubt?: string | null
}

/**
 * An invariant that a scenario defines.
 * @example
 * ```ts
 * import type { OwnInvariant } from 'onceproof'
 *
 * const silent: OwnInvariant = { id: 'silent', about: 'Nothing is logged.', judge: () => ({}) }
 * ```
 */
export interface OwnInvariant {
  /**
   * The id, of lower-case words with hyphens. In results, the name of the invariant is `own:<id>`.
   */
  readonly id: string
  /** What the invariant demands, in one sentence. */
  readonly about: string
  /**
   * A declaration that a layer must make for the invariant to apply; for any other layer it is
   * `n/a`. Absent: it applies to every layer.
   */
  readonly needs?: Declaration
  /**
   * Reads the facts of one run (`Fact`), never its traces: only recorded runs have those. The same
   * history must give the same findings. If it throws, or returns something else, the verdict is
   * unknown.
   */
  judge(history: History, index: HistoryIndex): Findings
}

/**
 * Returns its argument. It gives editors the type; the loader of the scenario checks the invariant.
 * @example
 * ```ts
 * import { defineInvariant } from 'onceproof'
 *
 * const appliedInTime = defineInvariant({
 *   id: 'applied-in-time',
 *   about: 'Effects are applied within a minute.',
 *   judge(_, index) {
 *     const late = index.of('effect-applied').filter(({ atUs }) => atUs > 60_000_000)
 *     return {
 *       always: late.map(({ key, seq }) => ({
 *         kind: 'late',
 *         key,
 *         sentence: `${key} is late`,
 *         events: [seq],
 *       })),
 *     }
 *   },
 * })
 * ```
 */
export function defineInvariant(invariant: OwnInvariant): OwnInvariant {
  return invariant
}

export function isOwn(name: InvariantName): name is OwnName {
  return name.startsWith('own:')
}

export function ownName({ id }: Pick<OwnInvariant, 'id'>): OwnName {
  return `own:${id}`
}
