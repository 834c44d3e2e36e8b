import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-records-end-with-retention',
  about: 'Lets a row expire at the end of the retention, without the clock skew.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/options.ts',
      find: 'ttlMs: retentionMs + 2 * maxClockSkewMs',
      replace: 'ttlMs: retentionMs',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['postgres-late-copies'],
  },
})
