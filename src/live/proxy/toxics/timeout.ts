import type { ToxicKind } from './kind.ts'

/**
 * Drops everything. Closes the connection once nothing was dropped for `timeout` milliseconds; never with 0. Removing
 * it closes what it held, since a stream with a hole in it cannot go on.
 */
export const timeout: ToxicKind<'timeout'> = {
  attributes: ['timeout'],
  closesWhenRemoved: true,
  join: (attributes) => async (pipe) => {
    for (;;) {
      const one = await pipe.take(attributes.timeout > 0 ? attributes.timeout : Number.POSITIVE_INFINITY)
      if (one === 'interrupted') return
      if (one === 'end' || one === 'late') return pipe.close()
    }
  },
}
