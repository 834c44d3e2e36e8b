import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-records-end-with-retention',
  about: 'Nobody needs a record for longer than the retention.',
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
