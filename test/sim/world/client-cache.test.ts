import { expect, it } from 'vitest'
import cachesByTracking from '../../live/adapters/caches-by-tracking.ts'
import { loaded, play } from '../world-lab.ts'

it('a layer with a cache receives the invalidation by its own command with the reply', async () => {
  const run = await play(loaded(cachesByTracking))
  expect(run.of('answered').map(({ outcome }) => outcome.status)).toEqual(['done'])
})
