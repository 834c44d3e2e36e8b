import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-begin-for-anybody',
  about: 'The lease on the record lives, so the key is held: begin need not ask by whom.',
  patches: [
    {
      file: 'lua/begin.lua',
      find: 'local mine = owner == ARGV[1] and fence == ARGV[2]',
      replace: 'local mine = true',
    },
    {
      file: 'lua/begin.lua',
      find: "local first = mine and state == 'acquired' and now",
      replace: "local first = (state == 'acquired' or state == 'begun') and now",
    },
    {
      file: 'src/impl/attempt.ts',
      find: ' || !lease.alive) return',
      replace: ') return',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['slow-lock-holder', 'crash-mid-logic'],
  },
})
