import { expect, it } from 'vitest'
import cachesByTracking from '../../live/adapters/caches-by-tracking.ts'
import { loaded, play } from '../world-lab.ts'

it('a layer that caches what it reads hears with the reply to its own command that this has ended what it knew', async () => {
  const run = await play(loaded(cachesByTracking))
  expect(run.of('answered').map(({ outcome }) => outcome.status)).toEqual(['done'])
})
