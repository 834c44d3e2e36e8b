import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refusal-unrecorded',
  about: 'Answers refused although Redis has not recorded it.',
  breaks: 'A refusal that was answered stays one',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: `      if (settlesDoubts(layer)) return retry(layer.settings.unreachable, layer.settings.soonMs, recorded.error)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
