import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fingerprint-without-birth',
  about: 'Leaves the produced-at time out of the fingerprint.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/identity.ts',
      find: 'sha256(`${producedAt} ${JSON.stringify(key)} ${payloadJson}`)',
      replace: 'sha256(`${JSON.stringify(key)} ${payloadJson}`)',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['key-reuse'],
  },
})
