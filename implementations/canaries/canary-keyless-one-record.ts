import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyless-one-record',
  about: 'Gives all messages without a key the same record.',
  patches: [
    {
      file: 'implementations/reference/reference.ts',
      find: "  expect: 'holds',\n",
      replace: "  expect: 'holds',\n  withoutKey: 'performs',\n",
    },
    {
      file: 'implementations/reference/parts/guarding.ts',
      find: 'async handle({ key, payload, producedAt }) {',
      replace: "async handle({ key: given, payload, producedAt }) {\n      const key = given || 'no-key'",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['messages-without-key'],
  },
})
