import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-takes-begun',
  about: 'Takes over a begun effect when its lease has ended.',
  breaks: 'Through a crash anywhere',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "if state == 'begun' and sink == 'plain' then",
      replace: 'if false then',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
  },
})
