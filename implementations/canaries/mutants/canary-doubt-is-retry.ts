import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-doubt-is-retry',
  about: 'Answers retry for a message in doubt.',
  breaks: 'Every message ends `done`, `refused`, `in-doubt` or `conflict`, or is still being retried',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: 'sink.reconcile === undefined) return inDoubt(unasked)',
      replace: "sink.reconcile === undefined) return retry('held', layer.settings.soonMs)",
    },
  ],
  hunt: {
    killedBy: ['crash', 'effect-fails-before', 'effect-fails-after'],
    scenarios: ['crash-mid-logic', 'lost-reply'],
  },
})
