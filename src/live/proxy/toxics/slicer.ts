import { eachChunk, type Random, type ToxicKind } from './kind.ts'

/**
 * Passes every chunk on in slices of `average_size` ± `size_variation` bytes, and waits `delay` microseconds after
 * each. Waits of less than a millisecond, which timers cannot do, are added up.
 */
export const slicer: ToxicKind<'average_size' | 'size_variation' | 'delay'> = {
  attributes: ['average_size', 'size_variation', 'delay'],
  join: (attributes, random) => (pipe) => {
    let owedMs = 0
    return eachChunk(pipe, async ({ bytes, at }) => {
      let from = 0
      for (const to of cuts(0, bytes.length, attributes.average_size, attributes.size_variation, random)) {
        await pipe.give({ bytes: bytes.subarray(from, to), at })
        from = to
        owedMs += attributes.delay / 1000
        if (owedMs < 1) continue
        const startedAt = performance.now()
        if (!(await pipe.sleep(owedMs)))
          return from < bytes.length ? pipe.give({ bytes: bytes.subarray(from), at }) : undefined
        owedMs -= performance.now() - startedAt
      }
    })
  },
}

/** Where slices end: halves of halves, until they are about as small as asked for. */
function cuts(from: number, to: number, average: number, variation: number, random: Random): number[] {
  if (to - from <= Math.max(1, average + variation)) return [to]
  const shift = variation > 0 ? Math.floor(random() * 2 * variation) - variation : 0
  const middle = Math.min(to - 1, Math.max(from + 1, from + Math.floor((to - from) / 2) + shift))
  return [...cuts(from, middle, average, variation, random), ...cuts(middle, to, average, variation, random)]
}
