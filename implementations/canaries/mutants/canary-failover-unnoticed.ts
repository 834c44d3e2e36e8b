import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-failover-unnoticed',
  about: 'Keeps a generation after a failover.',
  breaks: 'Through a replica that acknowledges, comes back without what it acknowledged, and is elected',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'if known[1] ~= replid or known[2] ~= evicted then',
      replace: 'if not known[3] then',
    },
    {
      file: 'lua/begin.lua',
      find: "local current = replid == info('replication', 'master_replid') and evicted == info('stats', 'evicted_keys')",
      replace: 'local current = replid and evicted',
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'machine-restart'],
    scenarios: ['redis-failover', 'data-loss'],
  },
})
