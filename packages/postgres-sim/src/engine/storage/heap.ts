import type { Value } from '../values/value.ts'
import { RowVersion } from './row-version.ts'

/** The row versions of a table in write order. */
export class Heap {
  readonly versions: RowVersion[] = []
  private written = 0
  /** The number of versions at which versions that no session can see are pruned. */
  pruneAt = 64

  add(values: readonly Value[], xmin: number, cmin: number): RowVersion {
    const version = new RowVersion(++this.written, values, xmin, cmin)
    this.versions.push(version)
    return version
  }

  /** Removes versions that no session can see any more. */
  remove(gone: ReadonlySet<RowVersion>): void {
    const left = this.versions.filter((version) => !gone.has(version))
    this.versions.length = 0
    for (const version of left) this.versions.push(version)
  }
}
