import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-permit-does-not-outweigh-age',
  about: 'Ignores a permit for a message that is older than the data.',
  breaks: '`older-than-the-data`',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "if sink == 'plain' and not counts and produced <=",
      replace: "if sink == 'plain' and produced <=",
    },
  ],
  hunt: {
    killedBy: ['redis-flushed', 'eviction'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
