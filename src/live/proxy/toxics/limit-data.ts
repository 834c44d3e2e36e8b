import type { ToxicKind } from './kind.ts'

/** Lets `bytes` bytes of a connection through, then closes it. */
export const limitData: ToxicKind<'bytes'> = {
  attributes: ['bytes'],
  join: (attributes) => {
    let passed = 0
    return async (pipe) => {
      for (;;) {
        const one = await pipe.take()
        if (one === 'end') return pipe.close()
        if (typeof one === 'string') return
        const bytes = one.bytes.subarray(0, Math.max(0, attributes.bytes - passed))
        passed += bytes.length
        if (bytes.length > 0) await pipe.give({ bytes, at: one.at })
        if (passed >= attributes.bytes) return pipe.close()
      }
    }
  },
}
