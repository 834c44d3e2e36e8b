import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-silence-is-yes',
  about: 'Goes on if Redis does not answer begin.',
  breaks: 'Through lost requests and lost replies',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (begun.status === 'unreachable') return await giveBack(layer.settings.unreachable, begun.error)
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['partition', 'slow-link'],
    scenarios: ['network-partition', 'slow-lock-holder'],
  },
})
