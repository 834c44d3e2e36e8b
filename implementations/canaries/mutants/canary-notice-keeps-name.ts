import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-notice-keeps-name',
  about: 'Keeps the name of a generation after a loss of data.',
  breaks: 'Through the loss of all data, or of some',
  adapter: 'implementations/reference/reference-buckets.ts',
  patches: [
    {
      file: 'lua/notice.lua',
      find: "'evicted', evicted, 'id', ARGV[1], 'born'",
      replace: "'evicted', evicted, 'born'",
    },
  ],
  hunt: {
    killedBy: ['redis-flushed', 'eviction'],
    scenarios: ['slow-settlement'],
  },
})
