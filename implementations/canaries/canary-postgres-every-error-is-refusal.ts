import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-every-error-is-refusal',
  about: 'Treats every error of an effect as a refusal.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'error instanceof EffectFailed && isRefusal(error.cause)',
      replace: 'error instanceof EffectFailed',
    },
  ],
  hunt: {
    killedBy: [
      'effect-fails-before',
      'connection-reset',
      'slow-postgres',
      'lost-reply',
      'lost-request',
      'postgres-restart',
    ],
    scenarios: ['refused-rows'],
    sink: 'transactional',
  },
})
