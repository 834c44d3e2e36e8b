import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-failure-is-a-result',
  about: 'Stores the error of an effect as its result.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: '    throw new EffectFailed(fence, cause)',
      replace: '    return null',
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
