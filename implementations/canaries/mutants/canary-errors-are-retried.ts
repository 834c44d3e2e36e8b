import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-errors-are-retried',
  about: 'Releases the key and retries after every error of the effect.',
  breaks: '`effect-unanswered`, `attempt-vanished`',
  patches: [
    {
      file: 'src/impl/perform.ts',
      find: '  return reconcile(layer, hold,',
      replace: `  await layer.records.abandon(hold, begin.nonce, { counts: true })
  if (sink.kind === 'plain') return retry('effect-unanswered', leaseMs, cause)
  return reconcile(layer, hold,`,
    },
  ],
  hunt: {
    killedBy: ['effect-fails-after'],
    scenarios: ['lost-reply'],
  },
})
