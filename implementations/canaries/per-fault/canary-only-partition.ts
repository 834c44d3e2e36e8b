import { suspicious } from '../parts/per-fault.ts'
import { probeSink } from '../parts/sink-probes.ts'

/** Traffic that a partition held back is resent within 200 ms after it heals. */
const togetherMs = 230
const many = 40

export default suspicious(
  {
    id: 'canary-only-partition',
    about: 'Performs twice if the sink was silent and then answered everything at once.',
    kind: 'partition',
    scenarios: ['network-partition'],
    sink: 'fenced',
  },
  async (around) => {
    const probes = await probeSink(around, 2500)
    // When a slow link heals, at most three times as many answers come as were sent in that time.
    return probes.some((first, at) => {
      const last = probes[at + many]
      if (last === undefined || last.sentMs - first.sentMs < 3.3 * togetherMs) return false
      const answers = probes.slice(at, at + many + 1).map(({ answeredMs }) => answeredMs)
      return Math.max(...answers) - Math.min(...answers) < togetherMs
    })
  },
)
