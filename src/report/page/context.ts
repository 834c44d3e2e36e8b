import type { Break } from '../break.ts'

/** A page shows this beside results. `results.json` has none of it: it depends on runs alone. */
export interface PageContext {
  /** In UTC, to the minute: `2026-11-30 00:12`. */
  readonly madeAt: string
  /** The commit of the working folder. Null outside of a repository. */
  readonly commit: string | null
  /** By id of a layer: the digest of its files. */
  readonly digests: ReadonlyMap<string, string>
  /** The lines of the file that `sourceLine` is in. Null if it cannot be read. */
  sourceOf(one: Pick<Break, 'implementation' | 'sourceLine'>): readonly string[] | null
  /** The paragraph behind a link to docs/findings/instead.md. Null if there is none. */
  remedyOf(instead: string): string | null
}

export const noContext: PageContext = {
  madeAt: '',
  commit: null,
  digests: new Map(),
  sourceOf: () => null,
  remedyOf: () => null,
}
