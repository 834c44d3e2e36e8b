import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-abandons-anybodys',
  about: 'Releases a key without checking who holds it.',
  breaks: 'Through orphaned commands, and through half a pipeline',
  patches: [
    {
      file: 'lua/abandon.lua',
      find: 'local mine = owner == ARGV[1] and fence == ARGV[2]',
      replace: 'local mine = true',
    },
    {
      file: 'lua/abandon.lua',
      find: "local undone = state == 'acquired' or (state == 'begun' and nonce == ARGV[3])",
      replace: 'local undone = state',
    },
  ],
  hunt: {
    killedBy: ['pause', 'slow-link'],
    scenarios: ['slow-lock-holder', 'network-partition'],
  },
})
