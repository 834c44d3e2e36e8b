import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-heartbeat-ends-with-begin',
  about: 'Refuses to extend the lease once the effect is begun.',
  breaks: 'Through a pause, or an effect longer than the lease',
  patches: [
    {
      file: 'lua/renew.lua',
      find: "state == 'acquired' or state == 'begun'",
      replace: "state == 'acquired'",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['long-effects'],
  },
})
