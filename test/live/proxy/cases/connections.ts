import assert from 'node:assert/strict'
import { addToxic, type Case, portOf } from '../bench.ts'
import { timed } from '../line.ts'

/** Connections: how they begin, carry bytes and end. */
export const connectionCases: readonly Case[] = [
  {
    name: 'carries bytes both ways, whole and in order',
    cites: 'README: a TCP proxy',
    async run(bench) {
      const line = await bench.dial(await bench.proxy(await bench.server()))
      const text = Array.from({ length: 400_000 }, (_, index) => String(index % 10_000)).join(',')
      line.send(text)
      assert.equal((await line.receive(text.length)) === text, true)
    },
  },
  {
    name: 'lets the client go when the upstream server cannot be reached',
    cites: 'proxy.go server: the client is closed when dialling fails',
    async run(bench) {
      const gone = await bench.proxy(await bench.server())
      await gone.remove()
      const line = await bench.dial(await bench.proxy(portOf(gone)))
      assert.ok((await timed(line.ended)) < 2000)
      assert.equal(line.text, '')
    },
  },
  {
    name: 'tells each side that the other one has closed',
    cites: 'link.go write: the destination is closed when the source has ended',
    async run(bench) {
      let clientEnded: (value: unknown) => void = () => {}
      const seen = new Promise((resolve) => {
        clientEnded = resolve
      })
      const port = await bench.server((socket) => {
        socket.on('data', (bytes) => (String(bytes) === 'close' ? socket.end('bye') : socket.write(bytes)))
        socket.on('close', clientEnded)
      })
      const proxy = await bench.proxy(port)
      const first = await bench.dial(proxy)
      first.send('close')
      assert.equal(await first.ended, 'FIN')
      assert.equal(first.text, 'bye')
      const second = await bench.dial(proxy)
      second.send('stay')
      await second.receive(4)
      assert.equal(second.isOpen, true)
      second.socket.end()
      await timed(seen)
    },
  },
  {
    name: 'disabling ends live connections and refuses new ones; enabling listens on the same port again',
    cites: 'README, "down" and "Proxy fields": enabled; proxy.go stop',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      const line = await bench.dial(proxy)
      line.send('alive')
      await line.receive(5)
      assert.equal(line.isOpen, true)
      const down = await proxy.update({ enabled: false, listen: proxy.listen, upstream: proxy.upstream })
      assert.equal(down.enabled, false)
      await timed(line.ended)
      await assert.rejects(bench.dial(proxy), { code: 'ECONNREFUSED' })
      const up = await proxy.update({ enabled: true, listen: proxy.listen, upstream: proxy.upstream })
      assert.deepEqual([up.enabled, up.listen], [true, proxy.listen])
      const again = await bench.dial(proxy)
      again.send('again')
      assert.equal(await again.receive(5), 'again')
    },
  },
  {
    name: 'a request that changes nothing leaves connections alone; another upstream drops them',
    cites: 'README, "Proxy fields": changing listen or upstream restarts the proxy; proxy.go Update',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      const line = await bench.dial(proxy)
      await proxy.update({ enabled: true, listen: proxy.listen, upstream: proxy.upstream })
      line.send('kept')
      assert.equal(await line.receive(4), 'kept')
      const loud = await bench.server((socket) =>
        socket.on('data', (bytes) => socket.write(String(bytes).toUpperCase())),
      )
      await proxy.update({ enabled: true, listen: proxy.listen, upstream: `127.0.0.1:${loud}` })
      await timed(line.ended)
      const other = await bench.dial(proxy)
      other.send('moved')
      assert.equal(await other.receive(5), 'MOVED')
    },
  },
  {
    name: 'toxics outlast being disabled',
    cites: 'proxy.go start, stop: toxics belong to the proxy, not to its listener',
    async run(bench) {
      const proxy = await bench.proxy(await bench.server())
      await addToxic(proxy, 'limit_data', { bytes: 2 })
      for (const enabled of [false, true])
        await proxy.update({ enabled, listen: proxy.listen, upstream: proxy.upstream })
      const line = await bench.dial(proxy)
      line.send('hello')
      await timed(line.ended)
      assert.equal(line.text, 'he')
    },
  },
]
