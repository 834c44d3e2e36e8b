import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-client-clock',
  about: 'Uses the time of the consumer, and takes over a begun effect after five minutes.',
  breaks: 'Through clocks that are wrong',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "local time = redis.call('TIME')",
      replace: 'local time = {0, tonumber(ARGV[10]) * 1000}',
    },
    {
      file: 'lua/begin.lua',
      find: "local time = redis.call('TIME')",
      replace: 'local time = {0, tonumber(ARGV[11]) * 1000}',
    },
    {
      file: 'lua/renew.lua',
      find: "local time = redis.call('TIME')",
      replace: 'local time = {0, tonumber(ARGV[5]) * 1000}',
    },
    {
      file: 'src/impl/records.ts',
      find: 'producedAt, retentionMs, maxClockSkewMs, formerly]',
      replace: 'producedAt, retentionMs, maxClockSkewMs, formerly, Date.now()]',
    },
    {
      file: 'src/impl/records.ts',
      find: 'retentionMs, process, meta]',
      replace: 'retentionMs, process, meta, Date.now()]',
    },
    {
      file: 'src/impl/records.ts',
      find: '[owner, fence, leaseMs, this.#ttlMs]',
      replace: '[owner, fence, leaseMs, this.#ttlMs, Date.now()]',
    },
    {
      file: 'lua/acquire.lua',
      find: "if state == 'begun' and sink == 'plain' then",
      replace: "if state == 'begun' and sink == 'plain' and left > -300000 then",
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['clock-skew'],
  },
})
