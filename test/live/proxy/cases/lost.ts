import assert from 'node:assert/strict'
import { addToxic, type Case, portOf } from '../bench.ts'
import { pause, timed } from '../line.ts'

/** How long a client waits for a reply before it counts as lost. */
const givesUpMs = 1000

interface Silence extends Pick<Case, 'name' | 'cites'> {
  readonly stream: 'upstream' | 'downstream'
  /** What Redis has of the two SETs, of which the second is not answered. */
  readonly left: 'before the toxic' | 'after the toxic'
}

function silence({ name, cites, stream, left }: Silence): Case {
  return {
    name,
    cites,
    async run(bench) {
      const proxy = await bench.proxy(bench.redisPort)
      const [through, direct] = [await bench.redis(portOf(proxy), givesUpMs), await bench.redis(bench.redisPort, 5000)]
      assert.equal(await through.set(proxy.name, 'before the toxic'), 'OK')
      await addToxic(proxy, 'timeout', { timeout: 0 }, { stream })
      await assert.rejects(through.set(proxy.name, 'after the toxic'), /timed out/)
      assert.equal(await direct.get(proxy.name), left)
      assert.equal(through.status, 'ready')
      await direct.del(proxy.name)
    },
  }
}

/** Requests, replies and connections that are lost: `timeout` and `reset_peer`. */
export const lostCases: readonly Case[] = [
  silence({
    name: 'a lost reply: the SET was applied (timeout 0, downstream)',
    cites:
      'README, "timeout": with 0 the connection won’t close and data is dropped; "Toxic fields": downstream is server -> client',
    stream: 'downstream',
    left: 'after the toxic',
  }),
  silence({
    name: 'a lost request: the SET was not applied (timeout 0, upstream)',
    cites: 'README, "timeout"; "Toxic fields": upstream is client -> server',
    stream: 'upstream',
    left: 'before the toxic',
  }),
  {
    name: 'removing a timeout closes the connections that it held, and new ones work',
    cites: 'toxics/timeout.go Cleanup; toxic_collection.go chainRemoveToxic',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      const toxic = await addToxic(proxy, 'timeout', { timeout: 0 })
      const line = await bench.dial(proxy)
      line.send('dropped')
      await pause(givesUpMs)
      assert.deepEqual([line.isOpen, line.text], [true, ''])
      await toxic.remove()
      assert.equal(await line.ended, 'FIN')
      assert.equal(line.text, '')
      const next = await bench.dial(proxy)
      next.send('arrives')
      assert.equal(await next.receive(7), 'arrives')
    },
  },
  {
    name: 'a timeout of 300 ms drops data and closes after 300 ms to 1.3 s',
    cites: 'README, "timeout": closes the connection after timeout',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      await addToxic(proxy, 'timeout', { timeout: 300 })
      // The time begins with the connection, which the proxy may know of first.
      const dialled = bench.dial(proxy)
      const ended = timed(dialled.then((line) => line.ended))
      const line = await dialled
      line.send('dropped')
      const ms = await ended
      assert.ok(ms >= 295 && ms < 1300, `${ms} ms`)
      assert.equal(line.text, '')
    },
  },
  {
    name: 'data that a timeout drops starts its time again',
    cites: 'toxics/timeout.go Pipe: the timer is made anew for each chunk',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      await addToxic(proxy, 'timeout', { timeout: 1000 }, { stream: 'upstream' })
      const line = await bench.dial(proxy)
      const startedAt = performance.now()
      for (let sent = 0; sent < 4; sent++) {
        await pause(300)
        line.send('x')
      }
      await timed(line.ended)
      assert.ok(performance.now() - startedAt >= 2195, 'closed before 1000 ms of silence')
    },
  },
  {
    name: 'reset_peer: ECONNRESET in place of a reply, on connections that began with it',
    cites: 'README, "reset_peer"; link.go Start: linger 0; toxics/reset_peer.go',
    async run(bench) {
      const proxy = await bench.proxy(bench.redisPort)
      for (const stream of ['downstream', 'upstream'] as const) {
        const toxic = await addToxic(proxy, 'reset_peer', { timeout: 0 }, { stream })
        const line = await bench.dial(proxy)
        line.send('PING\r\n')
        assert.equal(await line.ended, 'ECONNRESET', stream)
        assert.equal(line.text, '')
        await toxic.remove()
        const next = await bench.dial(proxy)
        next.send('PING\r\n')
        assert.equal(await next.receive(7), '+PONG\r\n')
      }
    },
  },
  {
    name: 'reset_peer downstream loses the reply of a SET that was applied; upstream, the SET',
    cites: 'README, "reset_peer" and "Toxic fields"; toxics/reset_peer.go: the chunk is dropped',
    async run(bench) {
      const proxy = await bench.proxy(bench.redisPort)
      const direct = await bench.redis(bench.redisPort, 5000)
      for (const [stream, stored] of [
        ['downstream', 'new'],
        ['upstream', 'old'],
      ] as const) {
        await direct.set(proxy.name, 'old')
        const toxic = await addToxic(proxy, 'reset_peer', { timeout: 0 }, { stream })
        const line = await bench.dial(proxy)
        line.send(`SET ${proxy.name} new\r\n`)
        await line.ended
        await toxic.remove()
        assert.equal(await direct.get(proxy.name), stored, stream)
      }
      await direct.del(proxy.name)
    },
  },
  {
    name: 'reset_peer with a timeout of 300 ms resets after 300 ms to 1.3 s',
    cites: 'README, "reset_peer": immediately or after a timeout',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      await addToxic(proxy, 'reset_peer', { timeout: 300 })
      const dialled = bench.dial(proxy)
      const ended = timed(dialled.then((line) => line.ended))
      const line = await dialled
      line.send('hello')
      const ms = await ended
      assert.ok(ms >= 295 && ms < 1300, `${ms} ms`)
      assert.equal(await line.ended, 'ECONNRESET')
    },
  },
  {
    name: 'disabling resets connections that began with a reset_peer, and ends others by FIN',
    cites: 'link.go Start: linger 0 on both sockets, whatever closes them; proxy.go stop',
    async run(bench) {
      let accepted = 0
      const port = await bench.server((socket) => {
        accepted++
        socket.pipe(socket)
      })
      const proxy = await bench.proxy(port)
      const before = await bench.dial(proxy)
      before.send('works')
      await before.receive(5)
      await addToxic(proxy, 'reset_peer', { timeout: 60_000 })
      const after = await bench.dial(proxy)
      after.send('x')
      // The connection to the upstream server must be there, or there is nothing to reset.
      while (accepted < 2) await pause(10)
      // It was accepted; whoever dialled has heard of that when it answers what is asked later.
      await bench.request('GET', '/version')
      await proxy.update({ enabled: false, listen: proxy.listen, upstream: proxy.upstream })
      assert.deepEqual(await Promise.all([before.ended, after.ended]), ['FIN', 'ECONNRESET'])
    },
  },
  {
    name: 'reset_peer closes a connection that was open before by FIN',
    cites: 'link.go AddToxic: only Start sets linger',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      const line = await bench.dial(proxy)
      line.send('works')
      await line.receive(5)
      await addToxic(proxy, 'reset_peer', { timeout: 0 })
      line.send('reset me')
      assert.equal(await line.ended, 'FIN')
      assert.equal(line.text, 'works')
    },
  },
]
