/**
 * What this process has other threads do: nothing else in it knows of that work before it is done.
 * Of a compressor, Node tells only that there is one.
 */
import { createHook } from 'node:async_hooks'

/**
 * What Node makes for a piece of work. One that is done at once, in this thread, gets nobody to
 * call.
 */
interface Job {
  readonly ondone?: unknown
}

const jobs = new Map<number, Job>()
const compressors = new Set<number>()

/** From now on. */
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

/** Whether there may be such work. */
export function hasJobs(): boolean {
  for (const [id, { ondone }] of jobs) if (ondone === undefined) jobs.delete(id)
  return jobs.size + compressors.size > 0
}
