import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begin-without-nonce',
  about: 'Identifies a begin by owner and fence, without a nonce.',
  breaks: 'Through orphaned commands, and through half a pipeline',
  patches: [
    {
      file: 'lua/begin.lua',
      find: "'state', 'begun', 'nonce', ARGV[3],",
      replace: "'state', 'begun',",
    },
  ],
  hunt: {
    killedBy: ['connection-reset', 'machine-added', 'machine-cut-off', 'machine-restart', 'lost-reply', 'slow-link'],
    scenarios: ['uncounted-replica', 'redis-failover'],
  },
})
