/**
 * Tracks work of this process on other threads, which is not visible otherwise until it is done.
 * For compressors, Node reports only that they exist.
 */
import { createHook } from 'node:async_hooks'

/** Node's object for a piece of work. If the work is synchronous, the object has no callback. */
interface Job {
  readonly ondone?: unknown
}

const jobs = new Map<number, Job>()
const compressors = new Set<number>()

/** Starts to record jobs. */
export function noteJobs(): void {
  createHook({
    init(id, type, _, resource) {
      if (type === 'ZLIB') compressors.add(id)
      else if (type.endsWith('REQUEST')) jobs.set(id, resource)
    },
    after: (id) => void jobs.delete(id),
    destroy: (id) => void compressors.delete(id),
  }).enable()
}

/** True if work on other threads may be in progress. */
export function hasJobs(): boolean {
  for (const [id, { ondone }] of jobs) if (ondone === undefined) jobs.delete(id)
  return jobs.size + compressors.size > 0
}
