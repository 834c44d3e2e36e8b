import type { History } from './history.ts'
import type { HistoryIndex } from './history-index.ts'
import type { Implementation, Mechanism } from './implementation.ts'
import { storesText, usualStores } from './store.ts'

/**
 * Every invariant, in the order in which reports list them, with its severity: 0 is the worst. An
 * effect twice comes first, then what was claimed or lost, then what was late or wrong. The names
 * appear in reports, in JSON and in people's CI, and never change.
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
export type BuiltInName = keyof typeof severities
export const invariantNames = Object.keys(severities) as readonly BuiltInName[]

/**
 * In another store, rows and items that nobody deletes are not judged: `no-immortal-keys` asks
 * Redis.
 */
export const besidesRedisKeys = invariantNames.filter((name) => name !== 'no-immortal-keys')

/**
 * One of a scenario's own has a prefix, so that no name that is built in later can be taken
 * already.
 */
export type OwnName = `own:${string}`
export type InvariantName = BuiltInName | OwnName

/** Invariants that are about a mechanism. */
const mechanisms: { readonly [name in InvariantName]?: Mechanism } = { 'same-result': 'stored-result' }

/** What a layer may declare and need not, as an invariant of a scenario asks for it. */
export const declarations = [
  'bindsProducedAt',
  'maxClockSkewMs',
  'answersWithinMs',
  'deadLetterReasons.failed',
  'deadLetterReasons.failed.retry',
  'deadLetterReasons.vanished',
  'withoutKey',
] as const
export type Declaration = (typeof declarations)[number]

type Declares = Partial<
  Pick<
    Implementation,
    'bindsProducedAt' | 'maxClockSkewMs' | 'answersWithinMs' | 'deadLetterReasons' | 'withoutKey' | 'lacks' | 'stores'
  >
>

/**
 * Why an invariant is not asked of a layer that does without these mechanisms, keeps its records in
 * these stores, or does not declare what an invariant of the scenario's `own` needs; null where it
 * is.
 */
export function notAsked(name: InvariantName, layer: Declares, own: readonly OwnInvariant[] = []): string | null {
  const { lacks = [], stores = usualStores } = layer
  const needs = own.find((one) => ownName(one) === name)?.needs
  if (needs !== undefined && !declares(layer, needs)) return `the layer does not declare \`${needs}\``
  const mechanism = mechanisms[name]
  if (mechanism !== undefined && lacks.includes(mechanism)) return `the layer declares lacks: ['${mechanism}']`
  // It counts Redis's keys: of a layer that has none it would say something in which nobody looked.
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

/** One way in which a history breaks an invariant. */
export interface Violation {
  /** Tells violations of one invariant apart: `zombie`, `repeat-after-crash`, … Stable. */
  readonly kind: string
  /** The idempotency key it happened to, where there is one. */
  readonly key: string | null
  /** One sentence for a person, with names and virtual times. */
  readonly sentence: string
  /** `seq` of the events that show it, in order. */
  readonly events: readonly number[]
  /** A keyed sink had forgotten the key: it applies no second effect of one that it remembers. */
  readonly sinkForgot?: true
}

export type Verdict =
  | { readonly verdict: 'valid' }
  /** `doubt`: why it would be unknown without these violations. Absent: it would be valid. */
  | { readonly verdict: 'violated'; readonly violations: readonly Violation[]; readonly doubt?: string }
  | { readonly verdict: 'unknown'; readonly reason: string }
  /** Not asked of this layer. */
  | { readonly verdict: 'n/a'; readonly reason: string }

/** What is said of an invariant, in `list` and in reports. */
export interface InvariantDoc {
  /** What it demands, in one sentence: for `list`. */
  readonly about: string
  /** What it demands, in one sentence: for a reader of reports. */
  readonly demand: string
  /** What a violation amounts to, for a heading. */
  readonly broken: string
  /**
   * What should have happened instead, by kind of violation. `a` stands for every `a:b` that is not
   * listed itself.
   */
  readonly remedies: { readonly [kind: string]: string }
}

/**
 * A property of a history. Reads facts only, never traces, so that hot and recorded runs judge
 * alike.
 */
export interface Invariant extends InvariantDoc {
  readonly name: BuiltInName
  judge(history: History): Verdict
}

/**
 * What a checker found in one history, by what it stands on. A run is whole when it came to rest
 * and met nothing that is not simulated; in any other one, what the missing part could have changed
 * does not count.
 */
export interface Findings {
  /** Facts that nothing can undo: they stand in every run. */
  readonly always?: readonly Violation[]
  /**
   * Stand when a budget was spent, but not after an unsimulated command, whose error may have
   * misled the layer.
   */
  readonly whereSupported?: readonly Violation[]
  /** True only of a run that came to rest. */
  readonly atEnd?: readonly Violation[]
  /** Why this checker cannot tell, although the run is whole. */
  readonly doubt?: string | null
}

/** An invariant that a scenario brings along. */
export interface OwnInvariant {
  /** Lower-case words with hyphens. Results name it `own:<id>`. */
  readonly id: string
  /** What it demands, in one sentence. */
  readonly about: string
  /**
   * What a layer has to declare to be asked: of any other it is `n/a`. Absent: every layer is
   * asked.
   */
  readonly needs?: Declaration
  /**
   * Reads the facts of one run (`Fact`), never its traces: only recorded runs have those. The same
   * history must give the same findings. Where it throws, or gives something else, the run is
   * unknown.
   */
  judge(history: History, index: HistoryIndex): Findings
}

/** Names the type for editors; the loader of its scenario checks it. */
export function defineInvariant(invariant: OwnInvariant): OwnInvariant {
  return invariant
}

export function isOwn(name: InvariantName): name is OwnName {
  return name.startsWith('own:')
}

export function ownName({ id }: Pick<OwnInvariant, 'id'>): OwnName {
  return `own:${id}`
}
