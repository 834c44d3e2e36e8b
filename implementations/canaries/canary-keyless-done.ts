import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyless-done',
  about: 'Declares to refuse messages without a key, but answers done for them.',
  patches: [
    {
      file: 'implementations/reference/reference.ts',
      find: "  expect: 'holds',\n",
      replace: "  expect: 'holds',\n  withoutKey: 'refuses',\n",
    },
    {
      file: 'implementations/reference/parts/guarding.ts',
      find: 'async handle({ key, payload, producedAt }) {',
      replace:
        "async handle({ key, payload, producedAt }) {\n      if (key === '') return { status: 'done', result: null }",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['messages-without-key'],
  },
})
