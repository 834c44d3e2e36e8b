import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-notice-keeps-birth',
  about: 'Keeps the age of a generation after a loss of data.',
  breaks: 'Through the loss of all data, or of some',
  adapter: 'implementations/reference/reference-buckets.ts',
  patches: [
    { file: 'lua/notice.lua', find: "'id', ARGV[1], 'born', string.format('%.0f', now))", replace: "'id', ARGV[1])" },
  ],
  hunt: {
    killedBy: ['redis-flushed', 'eviction'],
    scenarios: ['slow-settlement'],
  },
})
