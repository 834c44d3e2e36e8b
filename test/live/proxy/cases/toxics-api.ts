import assert from 'node:assert/strict'
import { addToxic, assertHas, type Case } from '../bench.ts'

/** Toxics over HTTP. */
export const toxicApiCases: readonly Case[] = [
  {
    name: 'fills in a toxic’s name, stream and toxicity',
    cites: 'README, "Toxic fields"; toxic_collection.go AddToxicJson; api.go ToxicCreate (200)',
    async run(bench) {
      const { name } = await bench.proxy(1)
      const made = await bench.request('POST', `/proxies/${name}/toxics`, {
        type: 'latency',
        attributes: { latency: 5 },
      })
      const toxic = {
        ...{ name: 'latency_downstream', type: 'latency', stream: 'downstream', toxicity: 1 },
        attributes: { latency: 5, jitter: 0 },
      }
      assert.deepEqual({ status: made.status, json: made.json }, { status: 200, json: toxic })
      assert.deepEqual((await bench.request('GET', `/proxies/${name}/toxics/latency_downstream`)).json, toxic)
      const named = await bench.request('POST', `/proxies/${name}/toxics`, {
        name: 'mine',
        type: 'noop',
        stream: 'upstream',
      })
      assertHas(named.json, { name: 'mine', stream: 'upstream' })
    },
  },
  {
    name: 'knows every documented toxic and its attributes',
    cites: 'README, "Toxics"; the json tags in toxics/*.go',
    async run(bench) {
      const proxy = await bench.proxy(1)
      for (const [type, attributes] of Object.entries({
        latency: { latency: 1, jitter: 2 },
        bandwidth: { rate: 3 },
        slow_close: { delay: 4 },
        timeout: { timeout: 5 },
        reset_peer: { timeout: 6 },
        slicer: { average_size: 7, size_variation: 1, delay: 8 },
        limit_data: { bytes: 9 },
      })) {
        const toxic = await addToxic(proxy, type, attributes, { stream: 'upstream' })
        assert.deepEqual(toxic.attributes, attributes)
        assert.deepEqual((await proxy.getToxic(`${type}_upstream`)).toJson(), toxic.toJson())
      }
    },
  },
  {
    name: 'lists upstream toxics before downstream ones, each in the order of their adding',
    cites: 'toxic_collection.go GetToxicArray; stream/direction.go',
    async run(bench) {
      const proxy = await bench.proxy(1)
      await addToxic(proxy, 'noop', {}, { name: 'c' })
      await addToxic(proxy, 'noop', {}, { name: 'b', stream: 'upstream' })
      await addToxic(proxy, 'noop', {}, { name: 'a', stream: 'upstream' })
      const { json } = await bench.request('GET', `/proxies/${proxy.name}/toxics`)
      assert.deepEqual(
        json.map((toxic: { name: string }) => toxic.name),
        ['b', 'a', 'c'],
      )
    },
  },
  {
    name: 'refuses a second toxic of the same name with 409, in the other direction too',
    cites: 'api.go ErrToxicAlreadyExists; toxic_collection.go findToxicByName',
    async run(bench) {
      const proxy = await bench.proxy(1)
      await addToxic(proxy, 'latency', {}, { name: 'one' })
      await assert.rejects(addToxic(proxy, 'timeout', {}, { name: 'one', stream: 'upstream' }), /409/)
      const again = await bench.request('POST', `/proxies/${proxy.name}/toxics`, { name: 'one', type: 'latency' })
      assert.deepEqual(again.json, { error: 'toxic already exists', status: 409 })
      await addToxic(proxy, 'latency', {}, { name: 'other' })
    },
  },
  {
    name: 'answers 400 for an unknown type, stream, or attributes of the wrong type',
    cites: 'api.go ErrInvalidToxicType, ErrInvalidStream, ErrBadRequestBody; toxic_collection.go AddToxicJson',
    async run(bench) {
      const { name } = await bench.proxy(1)
      for (const [body, error] of [
        [{ type: 'down' }, /^invalid toxic type$/],
        [{}, /^invalid toxic type$/],
        [{ type: 'latency', stream: 'sideways' }, /^stream was invalid, can be either upstream or downstream$/],
        [{ type: 'latency', attributes: { latency: 'long' } }, /^bad request body: /],
        [{ type: 'latency', attributes: { latency: 1.5 } }, /^bad request body: /],
        [{ type: 'latency', attributes: [] }, /^bad request body: /],
        [{ type: 'latency', toxicity: 'high' }, /^bad request body: /],
        ['nonsense', /^bad request body: /],
      ] as const) {
        const { status, json } = await bench.request('POST', `/proxies/${name}/toxics`, body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.match(json.error, error)
      }
      assert.deepEqual((await bench.request('GET', `/proxies/${name}/toxics`)).json, [])
      assert.equal((await bench.request('POST', `/proxies/${name}/toxics`, { type: 'latency' })).status, 200)
    },
  },
  {
    name: 'updates the attributes and the toxicity that are given, by POST and by PATCH',
    cites: 'README, "Endpoints"; CHANGELOG 2.6.0 (PATCH); toxic_collection.go UpdateToxicJson',
    async run(bench) {
      const proxy = await bench.proxy(1)
      const toxic = await addToxic(proxy, 'latency', { latency: 1, jitter: 2 })
      const path = `/proxies/${proxy.name}/toxics/${toxic.name}`
      const changed = await bench.request('POST', path, {
        attributes: { latency: 10 },
        toxicity: 0.5,
        stream: 'upstream',
      })
      assertHas(changed.json, {
        attributes: { latency: 10, jitter: 2 },
        toxicity: 0.5,
        stream: 'downstream',
      })
      const again = await bench.request('PATCH', path, { attributes: { jitter: 3 } })
      assertHas(again.json, { attributes: { latency: 10, jitter: 3 }, toxicity: 0.5 })
      assert.equal((await bench.request('PATCH', path, { attributes: { latency: 'x' } })).status, 400)
    },
  },
  {
    name: 'removes a toxic with 204',
    cites: 'README, "Endpoints"; api.go ToxicDelete',
    async run(bench) {
      const proxy = await bench.proxy(1)
      const toxic = await addToxic(proxy, 'latency', {})
      assert.equal((await bench.request('DELETE', `/proxies/${proxy.name}/toxics/${toxic.name}`)).status, 204)
      await assert.rejects(toxic.remove(), /404/)
    },
  },
]
