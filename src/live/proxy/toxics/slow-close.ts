import type { ToxicKind } from './kind.ts'

/** The end of the stream arrives `delay` milliseconds after everything else. */
export const slowClose: ToxicKind<'delay'> = {
  attributes: ['delay'],
  join: (attributes) => async (pipe) => {
    for (;;) {
      const one = await pipe.take()
      if (one === 'end') {
        if (await pipe.sleep(attributes.delay)) pipe.close()
        return
      }
      if (typeof one === 'string') return
      await pipe.give(one)
    }
  },
}
