import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-lease-never-ends',
  about: 'Never takes a key over.',
  breaks: 'Every message ends `done`, `refused`, `in-doubt` or `conflict`, or is still being retried',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'local left = tonumber(deadline) - now',
      replace: 'local left = lease',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
  },
})
