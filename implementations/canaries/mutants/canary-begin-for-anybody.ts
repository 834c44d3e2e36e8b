import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begin-for-anybody',
  about: 'Begins without checking who holds the key.',
  breaks: 'Through a pause, or an effect longer than the lease',
  patches: [
    {
      file: 'lua/begin.lua',
      find: 'local mine = owner == ARGV[1] and fence == ARGV[2]',
      replace: 'local mine = true',
    },
    {
      file: 'lua/begin.lua',
      find: "local first = mine and state == 'acquired' and now < tonumber(deadline)",
      replace: 'local first = true',
    },
    {
      file: 'src/impl/attempt.ts',
      find: ' || !lease.alive) return',
      replace: ') return',
    },
  ],
  hunt: {
    killedBy: ['pause', 'slow-link'],
    scenarios: ['slow-lock-holder', 'crash-mid-logic'],
  },
})
