import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-conflict-is-done',
  about: 'Answers done for a key with another payload.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'src/impl/once.ts',
      find: 'return found\n',
      replace: "return { status: 'done', result: null as Result, repeated: true }\n",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['key-reuse'],
  },
})
