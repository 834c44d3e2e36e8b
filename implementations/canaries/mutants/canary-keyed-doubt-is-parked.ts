import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyed-doubt-is-parked',
  about: 'Nobody knows what became of the effect: a person must look, whatever the sink.',
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
