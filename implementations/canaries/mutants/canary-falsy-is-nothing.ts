import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-falsy-is-nothing',
  about: 'Stores every falsy result as null.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  patches: [{ file: 'src/impl/record-done.ts', find: "result === undefined ? 'null'", replace: "!result ? 'null'" }],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
