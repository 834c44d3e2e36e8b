import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyless-is-a-key',
  about: 'A message without a key is refused: a key is a string, and the empty one is as good as any other.',
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
