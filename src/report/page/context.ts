import type { Break } from '../break.ts'

/**
 * Additional information of a page. It is not in `results.json`, which depends only on the runs.
 */
export interface PageContext {
  /** In UTC, to the minute: `2026-11-30 00:12`. */
  readonly madeAt: string
  /** The commit of the working directory; null outside of a repository. */
  readonly commit: string | null
  /** Digest of a layer's files, by id of the layer. */
  readonly digests: ReadonlyMap<string, string>
  /** The lines of the file of `sourceLine`; null if it cannot be read. */
  sourceOf(one: Pick<Break, 'implementation' | 'sourceLine'>): readonly string[] | null
  /** The paragraph that a link to docs/findings/instead.md points to; null if there is none. */
  remedyOf(instead: string): string | null
}

export const noContext: PageContext = {
  madeAt: '',
  commit: null,
  digests: new Map(),
  sourceOf: () => null,
  remedyOf: () => null,
}
