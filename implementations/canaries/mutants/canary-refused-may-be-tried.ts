import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refused-may-be-tried',
  about: 'Performs again after a refusal.',
  breaks: 'A refusal that was answered stays one',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "if state == 'refused' then return {'refused', failure} end\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before'],
    scenarios: ['lost-reply'],
  },
})
