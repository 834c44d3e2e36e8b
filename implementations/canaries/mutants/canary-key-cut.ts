import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-key-cut',
  about: 'Cuts long keys in the names of records.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: 'record: `${prefix}{b${bucket}}:${key}`',
      replace: 'record: `${prefix}{b${bucket}}:${key.slice(0, 6)}`',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
