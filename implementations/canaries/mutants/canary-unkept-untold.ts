import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-unkept-untold',
  about: 'Does not report that a result could not be stored.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  adapter: 'implementations/reference/reference-unkept.ts',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "return {'completed', result, unkept or nil} end",
      replace: "return {'completed', result} end",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
