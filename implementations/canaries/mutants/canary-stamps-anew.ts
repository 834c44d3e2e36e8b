import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-stamps-anew',
  about: 'Sets a new produced-at time at each delivery.',
  breaks: '`producedAt` is the produced-at time of the key',
  patches: [
    {
      file: 'src/impl/records.ts',
      find: '  const fingerprint = fingerprintOf(key, payloadJson, producedAt)\n',
      replace: '  const fingerprint = fingerprintOf(key, payloadJson, 0)\n',
    },
    {
      file: 'src/impl/records.ts',
      find: '  const about = { payload, payloadJson, producedAt,',
      replace: '  const about = { payload, payloadJson, producedAt: Date.now(),',
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'redis-flushed', 'late-copy'],
    scenarios: ['redis-restart'],
  },
})
