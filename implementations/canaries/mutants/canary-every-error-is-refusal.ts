import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-every-error-is-refusal',
  about: 'Treats every error of the sink as a refusal.',
  breaks: 'A refusal is a refusal',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: 'layer.settings.isRefusal(error) ? ',
      replace: 'true ? ',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'effect-fails-after'],
    scenarios: ['lost-reply'],
  },
})
