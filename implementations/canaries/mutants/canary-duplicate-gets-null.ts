import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-duplicate-gets-null',
  about: 'Answers a copy without the result.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  patches: [
    {
      file: 'src/impl/once.ts',
      find: 'return stored(found, true)',
      replace: "return { status: 'done', result: null as Result, repeated: true }",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
