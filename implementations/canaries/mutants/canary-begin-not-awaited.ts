import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begin-not-awaited',
  about: 'Does not wait for the reply to begin.',
  breaks: 'Among competing consumers',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: 'const begun = await layer.records.begin(hold, nonce, prepared.meta)',
      replace: `void layer.records.begin(hold, nonce, prepared.meta)
    const begun = { status: 'begun' as const, begunAt: 0, attempt: 1 }`,
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['slow-lock-holder', 'crash-mid-logic'],
  },
})
