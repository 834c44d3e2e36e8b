import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyless-never-done',
  about: 'Performs messages without a key, but answers done only if there is a record.',
  patches: [
    {
      file: 'implementations/reference/reference.ts',
      find: "  expect: 'holds',\n",
      replace: "  expect: 'holds',\n  withoutKey: 'performs',\n",
    },
    {
      file: 'implementations/reference/parts/guarding.ts',
      find: 'async handle({ key, payload, producedAt }) {',
      replace:
        "async handle({ key, payload, producedAt }) {\n      if (key === '') return sink.perform({ key, payload }).then(() => ({ status: 'retry' }))",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['messages-without-key'],
  },
})
