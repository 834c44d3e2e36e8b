import assert from 'node:assert/strict'
import net from 'node:net'
import type { Case } from './case.ts'

/** How connections begin, carry bytes and end. */
export const connectionCases: readonly Case[] = [
  {
    name: 'carries bytes both ways, whole and in order',
    about: 'connections',
    async run(bench) {
      const { connect } = await bench.link()
      const { process, node } = await connect()
      const text = Array.from({ length: 400_000 }, (_, index) => String(index % 10_000)).join(',')
      process.send(text)
      node.send(text)
      assert.equal((await node.receive(text.length)) === text, true)
      assert.equal((await process.receive(text.length)) === text, true)
    },
  },
  {
    name: 'tells each side that the other one has closed, after all its bytes',
    about: 'connections',
    async run(bench) {
      const { connect } = await bench.link()
      for (const [closing, reported] of [
        ['process', 'node'],
        ['node', 'process'],
      ] as const) {
        const both = await connect()
        both[closing].socket.end('bye')
        assert.equal(await both[reported].end(), 'FIN')
        assert.equal(both[reported].text, 'bye')
      }
    },
  },
  {
    name: 'lets the process go when the node cannot be reached',
    about: 'connections',
    async run(bench) {
      const server = net.createServer()
      const port = await bench.listen(server)
      await new Promise((resolve) => server.close(resolve))
      const line = await bench.dial((await bench.linkTo(port)).port)
      await line.end()
      assert.equal(line.text, '')
    },
  },
  {
    name: 'a cut ends every connection, and the next one is taken on the same port',
    about: 'cut',
    async run(bench) {
      const { link, connect } = await bench.link()
      const { port } = link
      const all = [await connect(), await connect()]
      await link.cut()
      for (const { process, node } of all) await Promise.all([process.end(), node.end()])
      assert.equal(link.port, port)
      const { process, node } = await connect()
      process.send('again')
      assert.equal(await node.receive(5), 'again')
    },
  },
  {
    name: 'disabled, it ends every connection and refuses new ones; enabled, it listens on the same port',
    about: 'disable',
    async run(bench) {
      const { link, connect } = await bench.link()
      const before = await connect()
      await link.disable()
      await Promise.all([before.process.end(), before.node.end()])
      await assert.rejects(bench.dial(link.port), { code: 'ECONNREFUSED' })
      await link.enable()
      const { process, node } = await connect()
      node.send('again')
      assert.equal(await process.receive(5), 'again')
    },
  },
  {
    name: 'closed, it leaves no connection and listens nowhere, whatever held bytes back',
    about: 'close',
    async run(bench) {
      const { link, connect } = await bench.link()
      const { process, node } = await connect()
      await link.block('to-node')
      await link.slow(60_000)
      process.send('held')
      node.send('held')
      await link.close()
      await Promise.all([process.end(), node.end()])
      await assert.rejects(bench.dial(link.port), { code: 'ECONNREFUSED' })
    },
  },
]
