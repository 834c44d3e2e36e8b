/**
 * The observations of a failover that can be compared. The course of a failover varies even on one
 * machine.
 */
import { type Heard, type Plain, type SentinelName, type SentinelTestBed, until } from './test-bed.ts'

export interface Observation {
  /** Observations that are the same in every run. */
  readonly facts: { readonly [name: string]: Plain }
  /**
   * Kinds of events with the role of their Sentinel, such as `leader +elected-leader`. Some occur
   * in every run, others only in some.
   */
  readonly kinds: readonly string[]
  /** Durations in milliseconds, which vary between runs. */
  readonly times: { readonly [name: string]: number }
}

/**
 * Thrown if a failover takes a rare course, which is possible on both sides. The votes may be
 * split, or a second failover may follow, because down-after is shorter than the second between two
 * attempts to connect to the new primary. The story is then repeated.
 */
export class RareCourse extends Error {}

export function refuseRareCourse(heard: readonly Heard[]): void {
  const count = (wanted: string) => heard.filter(({ type }) => type === wanted).length
  if (count('-failover-abort-not-elected') > 0) throw new RareCourse('a split vote')
  if (count('+elected-leader') > 1) throw new RareCourse('a second failover')
}

/** Waits until each of these Sentinels has reported this number of failovers (`+switch-master`). */
export async function switched(testBed: SentinelTestBed, by: readonly SentinelName[], times: number): Promise<void> {
  const count = (sentinel: SentinelName) =>
    testBed.heard.filter((one) => one.by === sentinel && one.type === '+switch-master').length
  await until(testBed, `+switch-master on ${by}`, () => by.every((sentinel) => count(sentinel) >= times), 15_000)
}

/** The Sentinel that was elected last. */
export function leaderOf(heard: readonly Heard[]): SentinelName {
  const elected = heard.filter(({ type }) => type === '+elected-leader').at(-1)
  if (elected === undefined) throw new Error('no Sentinel was elected')
  return elected.by
}

/** The new primary of the last failover. */
export function promotedIn(heard: readonly Heard[]): string {
  const last = heard.filter(({ type }) => type === '+switch-master').at(-1)
  return last?.message.split(' ').at(-1) ?? 'nobody'
}

/**
 * Types of events whose position in a sequence is random; some of them are optional. A real run may
 * only have kinds of these events that simulated runs also have.
 */
export const loose = new Set(['+sdown', '-sdown', '+odown', '-odown', '+new-epoch', '+vote-for-leader', '+role-change'])
loose.add('-role-change')

/**
 * The events of a Sentinel, except those whose types are in `loose`. `+slave` events after
 * `+switch-master` are sorted by name.
 */
export function sequence(heard: readonly Heard[], by: SentinelName): string[] {
  const reported = heard.filter((one) => one.by === by && !loose.has(one.type))
  const lines = reported.map(({ type, message }) => `${type} ${message}`)
  const from = lines.findLastIndex((line) => line.startsWith('+try-failover'))
  const kept = from === -1 ? lines : lines.slice(from)
  const slaves = kept.filter((line) => line.startsWith('+slave slave')).sort()
  return [...kept.filter((line) => !line.startsWith('+slave slave')), ...slaves]
}

/** Replaces each name whose role depends on the course of the failover by that role. */
export function byPart(lines: readonly string[], parts: Readonly<Record<string, string>>): string[] {
  return lines.map((line) => line.replace(/\b(?:S\d|R\d)\b/g, (name) => parts[name] ?? name))
}

export function kindsOf(heard: readonly Heard[], leader: SentinelName | null): string[] {
  const kinds = heard.map(({ by, type }) => `${by === leader ? 'leader' : 'other'} ${type}`)
  return [...new Set(kinds)].sort()
}

/** Milliseconds from a time to the first event of a type, optionally of one Sentinel. */
export function delayTo(heard: readonly Heard[], fromMs: number, type: string, by?: SentinelName): number {
  const first = heard.find((one) => one.type === type && one.atMs >= fromMs && (by === undefined || one.by === by))
  if (first === undefined) throw new Error(`${type} was not heard`)
  return first.atMs - fromMs
}
