/**
 * Article 003, its Redis strategy as in 003-set-nx-in-progress.ts, with the first lines of the
 * article's decorator: a message without a key is performed without a guarantee.
 */
import setNxInProgress from '../articles/003-set-nx-in-progress.ts'
import { saysWithoutKey } from '../parts/says-without-key.ts'

export default saysWithoutKey(
  setNxInProgress,
  {
    id: '003-set-nx-in-progress-without-key',
    about: 'IN_PROGRESS by SET NX; a message without a key is performed unguarded (article 003, Redis strategy).',
    withoutKey: 'performs',
  },
  async ({ key, payload }, sink) => ({ status: 'done', result: await sink.perform({ key, payload }) }),
)
