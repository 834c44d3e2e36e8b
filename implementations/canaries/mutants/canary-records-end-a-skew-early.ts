import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-records-end-a-skew-early',
  about: 'One clock is wrong by the skew at most, so one skew will do.',
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
