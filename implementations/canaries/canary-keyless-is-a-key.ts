import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyless-is-a-key',
  about: 'Declares to refuse messages without a key, but treats the empty string as a key.',
  patches: [
    {
      file: 'implementations/reference/reference.ts',
      find: "  expect: 'holds',\n",
      replace: "  expect: 'holds',\n  withoutKey: 'refuses',\n",
    },
    {
      file: 'src/impl/records.ts',
      find: "typeof key !== 'string' || key === ''",
      replace: "typeof key !== 'string'",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['messages-without-key'],
  },
})
