import { inARow, info, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

/** Replicas acknowledge their offset every second. */
const silentS = 3

export default suspicious(
  {
    id: 'canary-only-machine-cut-off',
    about: 'Performs twice if the primary has not heard from a replica for seconds.',
    kind: 'machine-cut-off',
    scenarios: ['split-brain'],
  },
  async ({ open }) => {
    const primary = open()
    const looks = await lookOften(
      250,
      async () => {
        const askedMs = performance.now()
        const lag = /lag=(\d+)/.exec(await info(primary, 'replication', 'slave0'))?.[1]
        // A server that stood still has not yet read its replica's acknowledgements.
        return performance.now() - askedMs < 500 && Number(lag ?? 0) >= silentS
      },
      5000,
    )
    return inARow(looks, 2, (silent) => silent)
  },
)
