import { suspicious } from '../parts/per-fault.ts'
import { probeSink } from '../parts/sink-probes.ts'

const many = 20

export default suspicious(
  {
    id: 'canary-only-slow-link',
    about: 'Performs twice if answers of the sink are late again and again.',
    kind: 'slow-link',
    scenarios: ['network-partition', 'slow-lock-holder'],
    sink: 'fenced',
  },
  async (around) => {
    const probes = await probeSink(around, 1500)
    // All answers are equally late. A partition would delay earlier requests more than later ones.
    return probes.some((_, at) => {
      const took = probes.slice(at, at + many).map(({ sentMs, answeredMs }) => answeredMs - sentMs)
      return took.length === many && Math.min(...took) > 100 && Math.max(...took) - Math.min(...took) < 70
    })
  },
)
