import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-takes-begun-after-two-leases',
  about: 'Takes over a begun effect after two leases.',
  breaks: 'Through a pause, or an effect longer than the lease',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "if state == 'begun' and sink == 'plain' then",
      replace: "if state == 'begun' and sink == 'plain' and left > -2 * lease then",
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
  },
})
