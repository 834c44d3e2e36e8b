import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-records-end-with-retention',
  about: 'Lets records expire at the end of the retention, without the clock skew.',
  breaks: 'Through copies that come after their record has expired',
  patches: [
    {
      file: 'src/impl/options.ts',
      find: 'ttlMs: retentionMs + 2 * maxClockSkewMs',
      replace: 'ttlMs: retentionMs',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['stale-message'],
  },
})
