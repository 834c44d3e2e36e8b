import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-keyed-silence-is-done',
  about: 'Answers done if a keyed sink does not answer.',
  breaks: '`keyed` sinks',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: "return retry('effect-unanswered', leaseMs, cause)",
      replace: "return { status: 'done', result: null as Result, repeated: false }",
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'effect-fails-after'],
    scenarios: ['lost-reply'],
    sink: 'keyed',
  },
})
