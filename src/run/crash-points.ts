import { assert } from 'virtual-node/assert'
import { type CrashPoint, crashPointName } from '../contract/api/crash-point.ts'
import type { Boundary } from '../contract/api/plan.ts'

/** The crash points that one run passed, and those at which a crash struck. */
export class CrashPoints {
  readonly passed = new Set<string>()
  readonly struck = new Set<string>()
  readonly #leaseUs: number

  constructor(leaseMs: number) {
    this.#leaseUs = leaseMs * 1000
  }

  /**
   * `ageUs`: how long the process has been handling its delivery, in microseconds; 0 if it handles
   * none.
   */
  pass(boundary: Boundary, label: string | null, ageUs: number): { readonly name: string; readonly isNew: boolean } {
    assert(ageUs >= 0, 'a delivery is received before it is handled')
    const name = nameOf(boundary, label, ageUs > this.#leaseUs ? 'expired' : 'live')
    if (this.passed.has(name)) return { name, isNew: false }
    this.passed.add(name)
    return { name, isNew: true }
  }
}

const names = {
  live: new Map<Boundary, Map<string | null, string>>(),
  expired: new Map<Boundary, Map<string | null, string>>(),
}

/** The name is cached, because each run calls this function at every boundary. */
function nameOf(boundary: Boundary, label: string | null, lease: CrashPoint['lease']): string {
  let byLabel = names[lease].get(boundary)
  if (byLabel === undefined) names[lease].set(boundary, (byLabel = new Map()))
  let name = byLabel.get(label)
  if (name === undefined) byLabel.set(label, (name = crashPointName({ boundary, label, lease })))
  return name
}
