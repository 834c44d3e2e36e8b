import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-fence-not-sent',
  about: 'Does not send the fence to the sink.',
  breaks: 'The effect uses the fence',
  patches: [
    {
      file: 'implementations/reference/parts/guarding.ts',
      find: 'sink.perform({ key, payload, fence }),',
      replace: 'sink.perform({ key, payload }),',
    },
  ],
  hunt: {
    killedBy: ['pause', 'crash', 'slow-link'],
    scenarios: ['slow-lock-holder', 'crash-mid-logic'],
    sink: 'fenced',
  },
})
