import { afterEach, describe, expect, it } from 'vitest'
import { type ProxyServer, startProxyServer } from '../../../src/live/proxy/server.ts'
import { addToxic, Bench, portOf } from './bench.ts'
import { seeded } from './seeded.ts'

const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function start(seed = 1): Promise<{ server: ProxyServer; bench: Bench }> {
  const server = await startProxyServer({ port: 0, random: seeded(seed) })
  const bench = new Bench(server.url, 0)
  open.push(server, { close: () => bench.end().catch(() => {}) })
  return { server, bench }
}

/** What is beyond Toxiproxy's contract: what the live runner relies on. */
describe('the built-in proxy', () => {
  it('has ended every connection and listens nowhere once it is closed', async () => {
    const { server, bench } = await start()
    const proxy = await bench.proxy(await bench.server())
    await addToxic(proxy, 'latency', { latency: 60_000 })
    const line = await bench.dial(proxy)
    line.send('held back')
    expect(line.isOpen).toBe(true)
    await server.close()
    await line.ended
    await expect(bench.dial(portOf(proxy))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(fetch(server.url)).rejects.toThrow()
  })

  it('rejects when its port is taken', async () => {
    const { server } = await start()
    await expect(startProxyServer({ port: server.port, random: seeded(1) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })

  it('listens on loopback where no host is named', async () => {
    const { bench } = await start()
    for (const listen of [undefined, '', ':0']) {
      const name = bench.newName()
      const { json } = await bench.request('POST', '/proxies', { name, listen, upstream: '127.0.0.1:1' })
      expect(json.listen).toMatch(/^127\.0\.0\.1:[1-9]/)
    }
  })

  it('strikes the same connections for the same seed, and others for another', async () => {
    const struck = async (seed: number) => {
      const { bench } = await start(seed)
      const proxy = await bench.proxy(await bench.server())
      await addToxic(proxy, 'limit_data', { bytes: 1 }, { toxicity: 0.5 })
      let connections = ''
      for (let index = 0; index < 40; index++) {
        const line = await bench.dial(proxy)
        line.send('hello')
        connections += (await Promise.race([line.ended, line.receive(5)])) === 'hello' ? '-' : 'x'
      }
      return connections
    }
    const first = await struck(7)
    expect(await struck(7)).toBe(first)
    expect(await struck(8)).not.toBe(first)
  })

  it.each([
    { average_size: 0, size_variation: 0, delay: 0 },
    { average_size: 2, size_variation: 900, delay: 0 },
    { average_size: -5, size_variation: -5, delay: -5 },
  ])('slices by sizes that make no sense without losing a byte: %o', async (attributes) => {
    const { bench } = await start()
    const proxy = await bench.proxy(await bench.server())
    await addToxic(proxy, 'slicer', attributes)
    const line = await bench.dial(proxy)
    const text = 'abcdefghij'.repeat(50)
    line.send(text)
    expect(await line.receive(text.length)).toBe(text)
  })

  it('slows a sender down that is faster than the receiver', async () => {
    const { bench } = await start()
    const port = await bench.server((socket) => socket.pause())
    const line = await bench.dial(await bench.proxy(port))
    const block = Buffer.alloc(1024 * 1024)
    const written = () => 200 * block.length - line.socket.writableLength
    for (let sent = 0; sent < 200; sent++) line.socket.write(block)
    let before = -1
    while (written() !== before) {
      before = written()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(written()).toBeGreaterThan(0)
    expect(written()).toBeLessThan(100 * block.length)
  })

  it('answers 413 to a body that is longer than any list of proxies', async () => {
    const { bench } = await start()
    const padding = ' '.repeat(1024 * 1024)
    expect((await bench.request('POST', '/populate', `[]${padding}`)).status).toBe(413)
    expect((await bench.request('POST', '/populate', `[]${padding.slice(2)}`)).status).toBe(201)
  })

  it('takes changes of toxics that come at once, one after another', async () => {
    const { bench } = await start()
    const proxy = await bench.proxy(await bench.server())
    const line = await bench.dial(proxy)
    for (let round = 0; round < 10; round++) {
      const toxics = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => addToxic(proxy, 'latency', { latency: 1 }, { name })),
      )
      line.send('12345')
      await Promise.all(toxics.map((toxic) => toxic.remove()))
    }
    expect(await line.receive(50)).toBe('12345'.repeat(10))
  })
})
