import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-raise-answer-ignored',
  about: 'Raising the fence is what counts, not what the sink says to it.',
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
