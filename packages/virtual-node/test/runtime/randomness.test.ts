import crypto, { webcrypto } from 'node:crypto'
import os from 'node:os'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Lab } from '../lab.ts'

/** Every source of randomness in Node, as text. */
const ways: Record<string, () => unknown> = {
  'Math.random': () => Math.random(),
  'crypto.randomUUID': () => crypto.randomUUID(),
  'globalThis.crypto.randomUUID': () => globalThis.crypto.randomUUID(),
  'crypto.randomBytes': () => crypto.randomBytes(13).toString('hex'),
  'crypto.randomBytes with a callback': () => promisify(crypto.randomBytes)(13).then((bytes) => bytes.toString('hex')),
  'crypto.pseudoRandomBytes': () => crypto.pseudoRandomBytes(13).toString('hex'),
  'crypto.randomFillSync': () => crypto.randomFillSync(Buffer.alloc(9), 2, 5).toString('hex'),
  'crypto.randomFill': () =>
    new Promise((resolve) => crypto.randomFill(Buffer.alloc(9), (_, bytes) => resolve(bytes.toString('hex')))),
  'crypto.randomInt': () => crypto.randomInt(1_000_000_000),
  'crypto.randomInt with two bounds': () => crypto.randomInt(5, 1_000_000_005),
  'crypto.randomInt with a callback': () =>
    new Promise((resolve) => crypto.randomInt(0, 1_000_000_000, (_, drawn) => resolve(drawn))),
  'crypto.getRandomValues': () => Buffer.from(crypto.getRandomValues(new Uint8Array(9))).toString('hex'),
  'webcrypto.getRandomValues': () => webcrypto.getRandomValues(new Uint32Array(2)).join(),
  'globalThis.crypto.getRandomValues': () => globalThis.crypto.getRandomValues(new BigUint64Array(1)).join(),
}

async function drawn(draw: () => unknown, seed: number): Promise<[string, string]> {
  const lab = new Lab(seed)
  const found: [string, string] = ['', '']
  for (const slot of [0, 1] as const) lab.start(async () => (found[slot] = String(await draw())), slot)
  await lab.run()
  expect(lab.deaths).toEqual([])
  return found
}

describe('in a process,', () => {
  for (const [name, draw] of Object.entries(ways))
    it(`${name} is repeatable, and differs between processes and seeds`, async () => {
      const [first, second] = await drawn(draw, 1)
      expect(first).not.toBe('')
      expect(await drawn(draw, 1)).toEqual([first, second])
      expect(second).not.toBe(first)
      expect((await drawn(draw, 2))[0]).not.toBe(first)
      expect(String(await draw())).not.toBe(String(await draw()))
    })

  it('random values have the same form as in Node', async () => {
    const lab = new Lab()
    lab.start(() => {
      expect(crypto.randomUUID()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const filled = crypto.randomFillSync(Buffer.alloc(9), 2, 5)
      expect([filled[0], filled[1], filled[7], filled[8]]).toEqual([0, 0, 0, 0])
      const numbers = Array.from({ length: 1000 }, () => Math.random())
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...numbers)).toBeLessThan(1)
      expect(numbers.reduce((sum, one) => sum + one) / 1000).toBeCloseTo(0.5, 1)
      const small = Array.from({ length: 200 }, () => crypto.randomInt(3, 6))
      expect([...new Set(small)].sort()).toEqual([3, 4, 5])
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
  })

  it('pid and host name are unique, and change with each incarnation', async () => {
    const lab = new Lab()
    const found: string[] = []
    const note = () => found.push(`${process.pid} ${os.hostname()}`)
    lab.start(note, 0)
    lab.start(note, 1)
    lab.start(note, 0, 2)
    await lab.run()
    expect(new Set(found).size).toBe(3)
    expect(found).not.toContain(`${process.pid} ${os.hostname()}`)
  })
})
