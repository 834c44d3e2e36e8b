/**
 * Collects the sites of a chunk that can raise an error. Compiled code refers to a site by its
 * index.
 */
import type { Site } from '../runtime/errors.ts'

export class Sites {
  readonly list: Site[] = []
  private readonly known = new Map<string, number>()

  index(site: Partial<Site> & { line: number }): number {
    const full: Site = { names: [], callee: null, tail: false, ...site }
    const key = JSON.stringify(full)
    let index = this.known.get(key)
    if (index === undefined) {
      index = this.list.push(full) - 1
      this.known.set(key, index)
    }
    return index
  }
}
