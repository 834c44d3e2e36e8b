import assert from 'node:assert/strict'
import { addToxic, assertHas, type Case, portOf } from '../bench.ts'

/** Proxies over HTTP: what is answered to good and to bad requests. */
export const apiCases: readonly Case[] = [
  {
    name: 'says its version as JSON',
    cites: 'README, "Endpoints": GET /version; CHANGELOG 2.7.0; api.go Version',
    async run(bench) {
      assert.match(JSON.parse(await bench.toxiproxy.getVersion()).version, /./)
      assert.equal((await bench.request('GET', '/versions')).status, 404)
    },
  },
  {
    name: 'creates an enabled proxy, on a free port for port 0',
    cites:
      'README, "Proxy fields": enabled defaults to true, listen is updated with the actual port; api.go ProxyCreate (201)',
    async run(bench) {
      const name = bench.newName()
      bench.removeLater(name)
      const { status, json } = await bench.request('POST', '/proxies', {
        name,
        listen: '127.0.0.1:0',
        upstream: '127.0.0.1:1',
      })
      assert.equal(status, 201)
      assert.match(json.listen, /^127\.0\.0\.1:[1-9]\d*$/)
      assertHas(json, { name, upstream: '127.0.0.1:1', enabled: true, toxics: [] })
      assert.equal((await bench.toxiproxy.get(name)).listen, json.listen)
    },
  },
  {
    name: 'answers localhost as the address that it stands for',
    cites: 'proxy.go listen: Listen becomes the listener’s address; client README: listen "localhost:0"',
    async run(bench) {
      const name = bench.newName()
      bench.removeLater(name)
      const proxy = await bench.toxiproxy.createProxy({ name, listen: 'localhost:0', upstream: '127.0.0.1:1' })
      assert.match(proxy.listen, /^(127\.0\.0\.1|\[::1\]):[1-9]\d*$/)
    },
  },
  {
    name: 'does not listen for a proxy that is created disabled',
    cites: 'README, "Proxy fields": enabled; api.go ProxyCreate',
    async run(bench) {
      const echo = await bench.server()
      const first = await bench.proxy(echo)
      await first.remove()
      const name = bench.newName()
      bench.removeLater(name)
      const proxy = await bench.toxiproxy.createProxy({
        name,
        listen: first.listen,
        upstream: first.upstream,
        enabled: false,
      })
      assert.equal(proxy.enabled, false)
      await assert.rejects(bench.dial(proxy), { code: 'ECONNREFUSED' })
      await proxy.update({ enabled: true, listen: proxy.listen, upstream: proxy.upstream })
      await bench.dial(proxy)
    },
  },
  {
    name: 'refuses a second proxy of the same name with 409, until the first is removed',
    cites: 'api.go ErrProxyAlreadyExists; proxy_collection.go Add',
    async run(bench) {
      const proxy = await bench.proxy(1)
      await assert.rejects(bench.proxy(1, proxy.name), /409/)
      const body = { name: proxy.name, listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }
      const { status, json } = await bench.request('POST', '/proxies', body)
      assert.deepEqual({ status, json }, { status: 409, json: { error: 'proxy already exists', status: 409 } })
      await proxy.remove()
      assert.equal((await bench.proxy(1, proxy.name)).name, proxy.name)
    },
  },
  {
    name: 'answers 404 for a proxy and for a toxic that is not there',
    cites: 'api.go ErrProxyNotFound, ErrToxicNotFound',
    async run(bench) {
      const noProxy = { error: 'proxy not found', status: 404 }
      const noToxic = { error: 'toxic not found', status: 404 }
      for (const [method, path, body] of [
        ['GET', '/proxies/nobody'],
        ['POST', '/proxies/nobody', { enabled: false }],
        ['PATCH', '/proxies/nobody', { enabled: false }],
        ['DELETE', '/proxies/nobody'],
        ['GET', '/proxies/nobody/toxics'],
        ['POST', '/proxies/nobody/toxics', { type: 'latency' }],
        ['GET', '/proxies/nobody/toxics/nothing'],
      ] as const) {
        const { status, json } = await bench.request(method, path, body)
        assert.deepEqual({ method, path, status, json }, { method, path, status: 404, json: noProxy })
      }
      const { name } = await bench.proxy(1)
      for (const [method, body] of [['GET'], ['POST', {}], ['PATCH', {}], ['DELETE']] as const) {
        const { status, json } = await bench.request(method, `/proxies/${name}/toxics/nothing`, body)
        assert.deepEqual({ method, status, json }, { method, status: 404, json: noToxic })
      }
      assert.equal((await bench.request('GET', `/proxies/${name}`)).status, 200)
    },
  },
  {
    name: 'answers 400 for JSON that is none, of the wrong types, or without name or upstream',
    cites: 'api.go ErrBadRequestBody, ErrMissingField, ProxyCreate, ProxyUpdate',
    async run(bench) {
      const name = bench.newName()
      bench.removeLater(name)
      const good = { name, listen: '127.0.0.1:0', upstream: '127.0.0.1:1' }
      for (const [body, error] of [
        ['{', /^bad request body: /],
        ['', /^bad request body: /],
        ['[]', /^bad request body: /],
        [{ ...good, name: 7 }, /^bad request body: /],
        [{ ...good, enabled: 'yes' }, /^bad request body: /],
        [{ ...good, name: '' }, /^missing required field: name$/],
        [{ ...good, upstream: undefined }, /^missing required field: upstream$/],
      ] as const) {
        const { status, json } = await bench.request('POST', '/proxies', body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.equal(json.status, 400)
        assert.match(json.error, error)
      }
      assert.equal((await bench.request('POST', '/proxies', good)).status, 201)
      assert.equal((await bench.request('POST', `/proxies/${name}`, '{')).status, 400)
    },
  },
  {
    name: 'answers 500 when it cannot listen',
    cites: 'api.go apiError: an error without a status code is an internal one',
    async run(bench) {
      const { listen } = await bench.proxy(1)
      const name = bench.newName()
      for (const taken of [listen, 'no port']) {
        const { status, json } = await bench.request('POST', '/proxies', {
          name,
          listen: taken,
          upstream: '127.0.0.1:1',
        })
        assert.equal(status, 500)
        assert.equal(json.status, 500)
      }
      assert.equal((await bench.request('GET', `/proxies/${name}`)).status, 404)
    },
  },
  {
    name: 'lists proxies by name, with their toxics',
    cites: 'README, "Endpoints": GET /proxies; api.go ProxyIndex',
    async run(bench) {
      const [one, other] = [await bench.proxy(1), await bench.proxy(2)]
      await addToxic(one, 'latency', { latency: 1 })
      const { status, json } = await bench.request('GET', '/proxies')
      assert.equal(status, 200)
      assert.deepEqual(
        json[one.name].toxics.map((toxic: { name: string }) => toxic.name),
        ['latency_downstream'],
      )
      assert.deepEqual(json[other.name].toxics, [])
      assert.ok(one.name in (await bench.toxiproxy.getAll()))
      await one.remove()
      assert.ok(!(one.name in (await bench.toxiproxy.getAll())))
    },
  },
  {
    name: 'removes a proxy with 204 and stops listening',
    cites: 'README, "CLI Example": connection refused; api.go ProxyDelete',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      const line = await bench.dial(proxy)
      const { status, text } = await bench.request('DELETE', `/proxies/${proxy.name}`)
      assert.deepEqual({ status, text }, { status: 204, text: '' })
      await line.ended
      await assert.rejects(bench.dial(portOf(proxy)), { code: 'ECONNREFUSED' })
    },
  },
  {
    name: 'answers 405 for a method that a path does not have',
    cites: 'api.go Routes',
    async run(bench) {
      for (const [method, path] of [
        ['PUT', '/proxies'],
        ['DELETE', '/version'],
        ['GET', '/reset'],
      ] as const)
        assert.equal((await bench.request(method, path)).status, 405, path)
      assert.equal((await bench.request('GET', '/proxies')).status, 200)
    },
  },
  {
    name: 'keeps browsers out',
    cites: 'api.go stopBrowsersMiddleware (403)',
    async run(bench) {
      const as = (agent: string) => fetch(`${bench.url}/version`, { headers: { 'user-agent': agent } })
      assert.equal((await as('Mozilla/5.0')).status, 403)
      assert.equal((await as('curl/8')).status, 200)
    },
  },
]
