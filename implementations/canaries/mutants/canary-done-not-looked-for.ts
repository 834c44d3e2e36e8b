import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-done-not-looked-for',
  about: 'Takes a free key without checking whether it is done.',
  breaks: 'Among competing consumers',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `if state == 'completed' then return {'completed', result, unkept or nil} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
