import assert from 'node:assert/strict'
import { addToxic, type Case } from '../bench.ts'

/** Populate and reset: many proxies at once. */
export const manyCases: readonly Case[] = [
  {
    name: 'populates: makes what is missing, leaves what is the same, replaces what differs',
    cites: 'README, "Populating Proxies"; proxy_collection.go AddOrReplace',
    async run(bench) {
      const [echo, other] = [await bench.server(), await bench.server()]
      const [same, moved] = [await bench.proxy(echo), await bench.proxy(echo)]
      for (const proxy of [same, moved]) await addToxic(proxy, 'latency', { latency: 1 })
      const [sameLine, movedLine] = [await bench.dial(same), await bench.dial(moved)]
      const fresh = bench.newName()
      bench.removeLater(fresh)
      const proxies = await bench.toxiproxy.populate([
        { name: same.name, listen: same.listen, upstream: same.upstream },
        { name: moved.name, listen: moved.listen, upstream: `127.0.0.1:${other}` },
        { name: fresh, listen: '127.0.0.1:0', upstream: same.upstream },
      ])
      assert.deepEqual(Object.keys(proxies).sort(), [same.name, moved.name, fresh].sort())
      const toxics = async (name: string) => (await bench.request('GET', `/proxies/${name}/toxics`)).json.length
      assert.deepEqual([await toxics(same.name), await toxics(moved.name), await toxics(fresh)], [1, 0, 0])
      await movedLine.ended
      sameLine.send('still here')
      assert.equal(await sameLine.receive(10), 'still here')
      const line = await bench.dial(proxies[fresh]!)
      line.send('hello')
      assert.equal(await line.receive(5), 'hello')
    },
  },
  {
    name: 'populates with 201, or with the error and none of the proxies when one lacks a field',
    cites: 'api.go Populate; proxy_collection.go PopulateJson: checked before any is made',
    async run(bench) {
      const name = bench.newName()
      bench.removeLater(name)
      const good = { name, listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }
      for (const [body, error] of [
        [[good, { listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }], /^missing required field: name at proxy 2$/],
        [[good, { name: 'x' }], /^missing required field: upstream at proxy 2$/],
        [good, /^bad request body: /],
        ['[', /^bad request body: /],
      ] as const) {
        const { status, json } = await bench.request('POST', '/populate', body)
        assert.equal(status, 400)
        assert.match(json.error, error)
        assert.equal((await bench.request('GET', `/proxies/${name}`)).status, 404)
      }
      const { status, json } = await bench.request('POST', '/populate', [good])
      assert.equal(status, 201)
      assert.equal(json.proxies[0].name, name)
    },
  },
  {
    name: 'resets: every proxy enabled, every toxic gone, connections without a timeout kept',
    cites: 'README, "Endpoints": POST /reset; api.go ResetState',
    async run(bench) {
      const echo = await bench.server()
      const [one, other] = [await bench.proxy(echo), await bench.proxy(echo)]
      await addToxic(one, 'latency', { latency: 60_000 })
      await other.update({ enabled: false, listen: other.listen, upstream: other.upstream })
      const line = await bench.dial(one)
      line.send('stuck?')
      await bench.toxiproxy.reset()
      assert.equal(await line.receive(6), 'stuck?')
      assert.deepEqual((await bench.request('GET', `/proxies/${one.name}/toxics`)).json, [])
      assert.equal((await bench.toxiproxy.get(other.name)).enabled, true)
      await bench.dial(other)
    },
  },
]
