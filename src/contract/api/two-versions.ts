/**
 * The name of a rolling upgrade, which takes the place of an id or a path: `a with-next b`.
 * Results, tokens and worker tasks contain this name; replay commands write it as `--impl a
 * --with-next b`.
 */
const between = ' with-next '

export interface TwoVersions {
  /** The version that is deployed first: an id, a path or a program. */
  readonly from: string
  readonly next: string
}

/**
 * A layer as the user names it: an id, a path, a glob or a program; or two of these for a rolling
 * upgrade.
 */
export type NamedLayer = string | TwoVersions

export function nameOfBoth({ from, next }: TwoVersions): string {
  return from + between + next
}

/** Splits the name of a rolling upgrade; null for the name of a single version. */
export function twoVersions(name: string): TwoVersions | null {
  const at = name.indexOf(between)
  return at < 0 ? null : { from: name.slice(0, at), next: name.slice(at + between.length) }
}

/** The versions in a name: two for a rolling upgrade, otherwise the name itself. */
export function versionsOf(name: string): readonly string[] {
  const both = twoVersions(name)
  return both === null ? [name] : [both.from, both.next]
}
