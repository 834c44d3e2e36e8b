import type { Break } from '../break.ts'

/**
 * Additional information for a page, which is not in `results.json`, because that depends only on
 * the runs.
 */
export interface PageContext {
  /** The time in UTC, to the minute: `2026-11-30 00:12`. */
  readonly madeAt: string
  /** The commit of the working directory; null outside of a repository. */
  readonly commit: string | null
  /** The digest of each layer's files, by the id of the layer. */
  readonly digests: ReadonlyMap<string, string>
  /** ` --reports <folder>`, for commands that read the report; empty for the default folder. */
  readonly ofReports: string
  /** The lines of the file of `sourceLine`; null if it cannot be read. */
  sourceOf(one: Pick<Break, 'implementation' | 'sourceLine'>): readonly string[] | null
  /**
   * Returns the paragraph to which a link to docs/findings/instead.md points; null if there is
   * none.
   */
  remedyOf(instead: string): string | null
}

export const noContext: PageContext = {
  madeAt: '',
  commit: null,
  digests: new Map(),
  ofReports: '',
  sourceOf: () => null,
  remedyOf: () => null,
}
