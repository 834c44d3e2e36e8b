import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { takeKnownScripts } from 'virtual-node/runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Lab } from '../../../packages/virtual-node/test/lab.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'

let folder: string
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'scripts-')))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

const take = "-- take: a key\nreturn redis.call('SET', KEYS[1], 'é')"
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

/** The scripts of an adapter that runs `loading` during loading, and `creating` in `create`. */
async function knownOf(loading: string, creating = ''): Promise<{ loaded: readonly string[]; created: string[] }> {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'adapter-')), 'layer.ts')
  fs.writeFileSync(path.join(path.dirname(file), 'take.lua'), take)
  const text = `
import crypto, { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
${loading}
export default { id: 'layer', create() { ${creating}; return { handle: async () => ({ status: 'retry' }) } } }
`
  fs.writeFileSync(file, text)
  const { scripts, instantiate } = await loadImplementation(file)
  takeKnownScripts()
  const lab = new Lab()
  lab.start(() => void (instantiate('consumer-1', false) as Implementation).create(null as never), 0)
  await lab.run()
  expect(lab.deaths).toEqual([])
  return { loaded: scripts, created: takeKnownScripts() }
}

describe('the scripts that a layer knows', () => {
  it.each([
    ['named import', 'createHash("sha1").update(take).digest("hex")'],
    ['default import', 'crypto.createHash("SHA1").update(Buffer.from(take)).digest("hex")'],
    ['one call', 'crypto.hash("sha1", take)'],
  ])('include those whose SHA-1 it computes while it is loaded: %s', async (_, hashed) => {
    const read = `const take = readFileSync(new URL('./take.lua', import.meta.url), 'utf8')\n${hashed}`
    expect(await knownOf(read)).toEqual({ loaded: [bytes(take)], created: [] })
  })

  it('include those that it registers when it is created', async () => {
    const creating = `createHash('sha1').update(${JSON.stringify(take)})`
    expect(await knownOf('', creating)).toEqual({ loaded: [], created: [bytes(take)] })
  })

  it('exclude hashed keys, and scripts with another hash', async () => {
    const others = `createHash('sha1').update('order-1'); createHash('sha256').update(${JSON.stringify(take)})`
    expect(await knownOf(others, others)).toEqual({ loaded: [], created: [] })
  })

  it('exclude what the harness hashes, and hashing still works', () => {
    const expected = '0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33'
    takeKnownScripts()
    crypto.createHash('sha1').update(take)
    expect(takeKnownScripts()).toEqual([])
    expect(crypto.createHash('sha1').update('f').update('oo').digest('hex')).toBe(expected)
    expect(crypto.hash('sha1', 'foo')).toBe(expected)
  })
})
