import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-no-begin',
  about: 'Sends the effect without a begin.',
  breaks: 'Through a crash anywhere',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: 'const begun = await layer.records.begin(hold, nonce, prepared.meta)',
      replace: "const begun = { status: 'begun' as const, begunAt: 0, attempt: 1 }",
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
  },
})
