import { eachChunk, type ToxicKind } from './kind.ts'

/** A chunk that takes longer than this is cut into pieces that take this long. */
const pieceMs = 100

/** At most `rate` kilobytes (1,000 bytes) a second, which is `rate` bytes a millisecond. A rate of 0 lets nothing through. */
export const bandwidth: ToxicKind<'rate'> = {
  attributes: ['rate'],
  join: (attributes) => (pipe) => {
    let owedMs = 0
    return eachChunk(pipe, async ({ bytes, at }) => {
      const rate = Math.max(0, attributes.rate)
      let rest = bytes
      if (rate > 0) owedMs += bytes.length / rate
      while (rest.length > rate * pieceMs) {
        if (!(await pipe.sleep(pieceMs))) return pipe.give({ bytes: rest, at })
        if (rate === 0) continue
        await pipe.give({ bytes: rest.subarray(0, rate * pieceMs), at })
        rest = rest.subarray(rate * pieceMs)
        owedMs -= pieceMs
      }
      const startedAt = performance.now()
      await pipe.sleep(owedMs)
      // Timers are late: the next sleep is shorter by as much.
      owedMs -= performance.now() - startedAt
      await pipe.give({ bytes: rest, at })
    })
  },
}
