import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-old-records-count',
  about: 'Trusts a record of an older generation.',
  breaks: 'Through the loss of all data, or of some',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "local counts = state == 'begun' or (state and of == generation)",
      replace: 'local counts = state',
    },
  ],
  hunt: {
    killedBy: ['redis-restart'],
    scenarios: ['data-loss'],
  },
})
