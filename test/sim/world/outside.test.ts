import dns from 'node:dns'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it } from 'vitest'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { done, layer, type Played, play } from '../world-lab.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'outside-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const errorOf = (socket: net.Socket) =>
  new Promise((resolve) => socket.once('error', ({ message }) => resolve(message)).once('connect', () => resolve(null)))

describe('an unknown host', () => {
  const asking = layer(async (_, redis, { redis: { options } }) => {
    const { host } = options as { host: string }
    seen.push(await errorOf(net.connect(5432, '10.9.8.7')))
    seen.push(await dns.promises.lookup('postgres').catch((error) => error.message))
    // A known host on which nothing listens at that port.
    seen.push(await errorOf(net.connect(5432, host)))
    await redis.ping()
    return done
  })
  const seen: unknown[] = []
  const notThere = (address: string) => `connect ECONNREFUSED ${address}`

  it('is reported with advice, whatever the layer does with the error', async () => {
    const { unsupported } = await play(asking)
    const remedy = "a host outside the simulation; remove that client, or let it fail with `allow: ['other-hosts']`"
    expect(unsupported).toEqual([`a connection to 10.9.8.7:5432, ${remedy}`, `a look-up of postgres, ${remedy}`])
    expect(seen[0]).toBe(notThere('10.9.8.7:5432'))
    expect(seen[1]).toBe('getaddrinfo ENOTFOUND postgres')
    expect(seen[2]).toMatch(notThere(''))
  })

  it('is unreachable without a report if the adapter requests it', async () => {
    expect((await play({ ...asking, allow: ['other-hosts'] })).unsupported).toEqual([])
  })

  it('is the target of a client with default options', async () => {
    const byDefault = layer(async () => {
      const redis = new Redis({ retryStrategy: () => null, lazyConnect: true })
      await redis.connect().catch(() => {})
      return done
    })
    const { unsupported } = await play(byDefault)
    expect(unsupported[0]).toMatch(/^a connection to 127\.0\.0\.1:6379, a host outside the simulation/)
  })
})

describe('a file of the adapter', () => {
  const adapter = (body: string, more = '') => `
    import fs from 'node:fs'
    const early = ${more === '' ? 'null' : `fs.readFileSync(${more}, 'utf8')`}
    export default {
      id: 'reader',
      create: () => ({ handle() { ${body}; return { status: 'done', result: early && 1 } } }),
    }`
  let count = 0

  async function playWith(text: string, config: string): Promise<Played> {
    const own = path.join(folder, String(++count))
    fs.mkdirSync(own)
    fs.writeFileSync(path.join(own, 'package.json'), '{}')
    fs.writeFileSync(path.join(own, 'layer.ts'), text)
    fs.writeFileSync(path.join(own, 'config.json'), config)
    return play(await loadImplementation(path.join(own, 'layer.ts')))
  }

  for (const [when, text] of [
    ['in a run', adapter("fs.readFileSync('config.json')")],
    ['while it is loaded', adapter('', "'config.json'")],
  ] as const)
    it(`is in the digest of the run if read ${when}: equal in each folder, different once it has changed`, async () => {
      const [one, moved, changed] = [
        await playWith(text, '{"ttl":1}'),
        await playWith(text, '{"ttl":1}'),
        await playWith(text, '{"ttl":2}'),
      ]
      expect(one.unsupported).toEqual([])
      expect(moved.digest).toBe(one.digest)
      expect(changed.digest).not.toBe(one.digest)
    })

  it('makes the run unknown if it is written, even if the layer catches the error', async () => {
    const { unsupported } = await playWith(adapter("try { fs.writeFileSync('state.json', '1') } catch {}"), '')
    expect(unsupported).toEqual([expect.stringMatching(/^fs\.writeFileSync, which leaves the simulation \(\S+:\d+\)$/)])
    expect(fs.existsSync(path.join(folder, String(count), 'state.json'))).toBe(false)
  })

  it('makes the run unknown if it belongs to others and is read during loading, unless the adapter requests it', async () => {
    const text = adapter('', "'/etc/hostname'")
    const { unsupported } = await playWith(text, '')
    expect(unsupported).toHaveLength(1)
    expect(unsupported[0]).toMatch(
      /^fs\.readFileSync of \/etc\/hostname, outside the packages that the adapter can import/,
    )
    const asking = text.replace("id: 'reader',", "id: 'reader', allow: ['fs-read'],")
    expect((await playWith(asking, '')).unsupported).toEqual([])
  })

  it('cannot be requested with an unknown permission', async () => {
    const wrong = adapter('').replace("id: 'reader',", "id: 'reader', allow: ['fs-write'],")
    await expect(playWith(wrong, '')).rejects.toThrow(
      '`allow` of the implementation reader has an unknown fs-write; known: fs-read, other-hosts',
    )
  })
})
