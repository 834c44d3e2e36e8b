import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-ttl-of-a-lease',
  about: 'Lets records expire with the lease.',
  breaks: 'Through copies that come after their record has expired',
  patches: [
    {
      file: 'src/impl/options.ts',
      find: 'ttlMs: retentionMs + 2 * maxClockSkewMs',
      replace: 'ttlMs: leaseMs',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['stale-message', 'crash-mid-logic'],
  },
})
