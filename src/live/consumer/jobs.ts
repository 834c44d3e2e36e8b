/**
 * What this process has other threads do: nothing else in it knows of that work before it is done. Of a compressor, Node
 * tells only that there is one.
 */
import { createHook } from 'node:async_hooks'

const underWay = new Set<number>()

/** From now on. */
export function noteJobs(): void {
  const over = (id: number): void => void underWay.delete(id)
  const compressors = new Set<number>()
  createHook({
    init(id, type) {
      if (type === 'ZLIB') compressors.add(id)
      if (type === 'ZLIB' || type.endsWith('REQUEST')) underWay.add(id)
    },
    after(id) {
      if (!compressors.has(id)) over(id)
    },
    destroy(id) {
      compressors.delete(id)
      over(id)
    },
  }).enable()
}

/** Whether there may be such work. */
export const hasJobs = (): boolean => underWay.size > 0
