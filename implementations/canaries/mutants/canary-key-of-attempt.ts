import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-key-of-attempt',
  about: 'Sends the sink another key for each attempt.',
  breaks: '`keyed` sinks',
  patches: [
    {
      file: 'implementations/reference/parts/guarding.ts',
      find: 'sink.perform({ key, payload, fence }),',
      replace: 'sink.perform({ key: `${key}-${fence}`, payload, fence }),',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
    sink: 'keyed',
  },
})
