import { afterEach, describe, expect, it } from 'vitest'
import { foundDisagreement, trackOwners } from '../../src/runtime/current.ts'
import { Lab } from '../lab.ts'

afterEach(() => trackOwners(false))

/** Two processes. The second one waits for a promise that the first one creates and settles. */
async function shareAPromise(): Promise<void> {
  const lab = new Lab()
  let settle = () => {}
  const shared = new Promise<void>((resolve) => (settle = resolve))
  lab.start(() => setTimeout(settle, 10))
  lab.start(async () => {
    await shared
    setTimeout(() => {}, 1)
  }, 1)
  await lab.run()
}

async function keepApart(): Promise<void> {
  const lab = new Lab()
  for (const slot of [0, 1])
    lab.start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      process.nextTick(() => Math.random())
      await crypto.subtle.digest('SHA-1', new Uint8Array(1))
      setTimeout(() => Date.now(), 1)
    }, slot)
  await lab.run()
}

describe('the owner check', () => {
  it('finds a promise that two processes share', async () => {
    trackOwners(true)
    await shareAPromise()
    expect(foundDisagreement()).toBe(
      'work that consumer-2 started continues in a turn of consumer-1: the two share state',
    )
  })

  it('finds nothing if two processes share nothing', async () => {
    trackOwners(true)
    await keepApart()
    expect(foundDisagreement()).toBeNull()
  })

  it('finds nothing if it is off', async () => {
    await shareAPromise()
    expect(foundDisagreement()).toBeNull()
  })
})
