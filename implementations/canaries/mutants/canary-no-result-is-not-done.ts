import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-result-is-not-done',
  about: 'Performs again if the stored result is null.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `if state == 'completed' then return {'completed', result, unkept or nil} end
`,
      replace: `if state == 'completed' and result ~= 'null' then return {'completed', result, unkept or nil} end
if state == 'completed' then state, of = 'free', '' end
`,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
