/**
 * Two versions of a layer at once, as one name in place of an id or a path: `a with-next b`.
 * Results, tokens and tasks of workers name a rolling upgrade so; the command line takes it apart,
 * `--impl a --with-next b`.
 */
const between = ' with-next '

export interface TwoVersions {
  /** Deployed first: an id, a path or a program. */
  readonly from: string
  readonly next: string
}

/** A layer as somebody asks for it: an id, a path, a glob or a program; or two of them. */
export type NamedLayer = string | TwoVersions

export function nameOfBoth({ from, next }: TwoVersions): string {
  return from + between + next
}

/** Null for the name of one version. */
export function twoVersions(name: string): TwoVersions | null {
  const at = name.indexOf(between)
  return at < 0 ? null : { from: name.slice(0, at), next: name.slice(at + between.length) }
}

/** The versions that a name names: two, or the one that it is. */
export function versionsOf(name: string): readonly string[] {
  const both = twoVersions(name)
  return both === null ? [name] : [both.from, both.next]
}
