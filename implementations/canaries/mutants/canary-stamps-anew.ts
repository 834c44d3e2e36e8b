import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-stamps-anew',
  about: 'A message is as old as its latest delivery: a fresh produced-at time with each hand-over.',
  breaks: '`producedAt` is the produced-at time of the key',
  patches: [
    {
      file: 'src/impl/records.ts',
      find: '  const fingerprint = fingerprintOf(key, payloadJson, producedAt)\n',
      replace: '  const fingerprint = fingerprintOf(key, payloadJson, 0)\n  producedAt = Date.now()\n',
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'redis-flushed', 'late-copy'],
    scenarios: ['redis-restart'],
  },
})
