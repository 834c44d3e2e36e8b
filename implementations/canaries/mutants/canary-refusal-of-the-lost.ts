import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refusal-of-the-lost',
  about: 'Answers refused although another attempt has the key.',
  breaks: 'A refusal that was answered stays one',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: `    case 'lost':
      return retry('lease-lost', layer.settings.soonMs, error)`,
      replace: `    case 'lost':
      return { status: 'refused', error: text, repeated: false }`,
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'pause'],
    scenarios: ['late-refusal'],
    sink: 'fenced',
  },
})
