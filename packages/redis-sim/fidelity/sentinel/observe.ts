/** What of a failover can be compared: it takes another course every time, even on one machine. */
import { type Heard, type Plain, type SentinelName, type SentinelTestBed, until } from './test-bed.ts'

export interface Observation {
  /** The same in every run. */
  readonly facts: { readonly [name: string]: Plain }
  /**
   * Kinds of events, by whom: `leader +elected-leader`. Some come in every run, some in one or the
   * other.
   */
  readonly kinds: readonly string[]
  /** Milliseconds; each run has its own. */
  readonly times: { readonly [name: string]: number }
}

/**
 * A course that a failover takes now and then, on both sides: a split vote, or a second failover
 * because the new primary is not dialled within a down-after that is shorter than the second
 * between two attempts. Told again.
 */
export class RareCourse extends Error {}

export function refuseRareCourse(heard: readonly Heard[]): void {
  const count = (wanted: string) => heard.filter(({ type }) => type === wanted).length
  if (count('-failover-abort-not-elected') > 0) throw new RareCourse('a split vote')
  if (count('+elected-leader') > 1) throw new RareCourse('a second failover')
}

/**
 * Waits until all of these Sentinels have heard of a failover, and the deployment is calm again.
 */
export async function switched(testBed: SentinelTestBed, by: readonly SentinelName[], times: number): Promise<void> {
  const count = (sentinel: SentinelName) =>
    testBed.heard.filter((one) => one.by === sentinel && one.type === '+switch-master').length
  await until(testBed, `+switch-master on ${by}`, () => by.every((sentinel) => count(sentinel) >= times), 15_000)
}

/** Who was elected last. */
export function leaderOf(heard: readonly Heard[]): SentinelName {
  const elected = heard.filter(({ type }) => type === '+elected-leader').at(-1)
  if (elected === undefined) throw new Error('nobody was elected')
  return elected.by
}

/** Of the last failover: who became the primary. */
export function promotedIn(heard: readonly Heard[]): string {
  const last = heard.filter(({ type }) => type === '+switch-master').at(-1)
  return last?.message.split(' ').at(-1) ?? 'nobody'
}

/**
 * Events whose place in a sequence is chance, and some of which need not come: they may only be
 * none that is unheard of.
 */
export const loose = new Set(['+sdown', '-sdown', '+odown', '-odown', '+new-epoch', '+vote-for-leader', '+role-change'])
loose.add('-role-change')

/**
 * What a Sentinel published, but for the loose ones; `+slave` after `+switch-master` in the order
 * of names.
 */
export function sequence(heard: readonly Heard[], by: SentinelName): string[] {
  const reported = heard.filter((one) => one.by === by && !loose.has(one.type))
  const lines = reported.map(({ type, message }) => `${type} ${message}`)
  const from = lines.findLastIndex((line) => line.startsWith('+try-failover'))
  const kept = from === -1 ? lines : lines.slice(from)
  const slaves = kept.filter((line) => line.startsWith('+slave slave')).sort()
  return [...kept.filter((line) => !line.startsWith('+slave slave')), ...slaves]
}

/** Names that depend on who won and who was chosen, by what they came to be. */
export function byPart(lines: readonly string[], parts: Readonly<Record<string, string>>): string[] {
  return lines.map((line) => line.replace(/\b(?:S\d|R\d)\b/g, (name) => parts[name] ?? name))
}

export function kindsOf(heard: readonly Heard[], leader: SentinelName | null): string[] {
  const kinds = heard.map(({ by, type }) => `${by === leader ? 'leader' : 'other'} ${type}`)
  return [...new Set(kinds)].sort()
}

/** From a moment to the first event of a type, and of one that leads when one does. */
export function delayTo(heard: readonly Heard[], fromMs: number, type: string, by?: SentinelName): number {
  const first = heard.find((one) => one.type === type && one.atMs >= fromMs && (by === undefined || one.by === by))
  if (first === undefined) throw new Error(`${type} was not heard`)
  return first.atMs - fromMs
}
