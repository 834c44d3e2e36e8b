import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyed-doubt-is-parked',
  about: 'Dead-letters a doubt on a keyed sink instead of retrying.',
  breaks: '`keyed` sinks',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: "if (sink.kind !== 'plain') return retry",
      replace: "if (sink.kind === 'fenced') return retry",
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'effect-fails-after'],
    scenarios: ['lost-reply'],
    sink: 'keyed',
  },
})
