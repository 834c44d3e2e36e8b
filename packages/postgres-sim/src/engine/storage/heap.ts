import type { Value } from '../values/value.ts'
import { RowVersion } from './row-version.ts'

/** The versions of a table's rows, in the order in which they were written. */
export class Heap {
  readonly versions: RowVersion[] = []
  private written = 0
  /** How many versions there may be before those are taken away that nobody sees. */
  pruneAt = 64

  add(values: readonly Value[], xmin: number, cmin: number): RowVersion {
    const version = new RowVersion(++this.written, values, xmin, cmin)
    this.versions.push(version)
    return version
  }

  /** Takes versions away that nobody can see any more. */
  remove(gone: ReadonlySet<RowVersion>): void {
    const left = this.versions.filter((version) => !gone.has(version))
    this.versions.length = 0
    for (const version of left) this.versions.push(version)
  }
}
