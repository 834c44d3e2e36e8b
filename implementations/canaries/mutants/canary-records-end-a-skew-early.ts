import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-records-end-a-skew-early',
  about: 'Lets records expire one clock skew early.',
  breaks: 'Through copies that come after their record has expired',
  patches: [
    {
      file: 'src/impl/options.ts',
      find: 'ttlMs: retentionMs + 2 * maxClockSkewMs',
      replace: 'ttlMs: retentionMs + maxClockSkewMs',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['stale-message'],
  },
})
