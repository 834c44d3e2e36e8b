import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-raise-answer-ignored',
  about: 'Ignores the answer of the sink to raise.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (raised.status === 'applied') return await recordDone(layer, hold, hold.fence, raised.result, true)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
