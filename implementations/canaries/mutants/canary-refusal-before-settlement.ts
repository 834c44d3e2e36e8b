import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refusal-before-settlement',
  about: 'Answers refused without recording it, although operators settle doubts by hand.',
  breaks: 'A refusal that was answered stays one',
  adapter: 'implementations/reference/reference-settles.ts',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: 'sink.settledByHand === true',
      replace: 'false',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
