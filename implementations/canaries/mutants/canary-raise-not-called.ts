import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-raise-not-called',
  about: 'Does not call raise.',
  breaks: '`fenced` sinks',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: "if (sink.kind !== 'fenced') return { status: 'clear' }",
      replace: "if (sink.kind !== undefined) return { status: 'clear' }",
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['crash-mid-logic', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
