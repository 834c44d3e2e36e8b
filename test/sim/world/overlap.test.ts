import { describe, expect, it } from 'vitest'
import { done, layer, play } from '../world-lab.ts'

const calm = () => layer(async () => done)
/** Leaves the event loop, so that another run could begin during its run. */
const waiting = () =>
  layer(async () => {
    await crypto.subtle.digest('SHA-1', new Uint8Array(1))
    return done
  })

describe('two runs in one thread', () => {
  it('fail loudly if one is requested before the other has ended', async () => {
    const first = play(waiting())
    await expect(play(calm())).rejects.toThrow('two runs overlap in one thread')
    expect((await first).of('ended')).toMatchObject([{ complete: true }])
  })

  it('play one after the other, even after one that failed', async () => {
    const failed = play({ create: () => Promise.reject(new Error('no config')) })
    await expect(failed).rejects.toThrow('no config')
    const digests = [(await play(calm())).digest, (await play(calm())).digest]
    expect(digests[0]).toBe(digests[1])
  })
})
