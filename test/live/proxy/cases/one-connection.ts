import assert from 'node:assert/strict'
import { ends } from '../bench.ts'
import { type Case, inBothDirections } from './case.ts'

/** Faults of single open connections, for links that have `connections`. */
export const oneConnectionCases: readonly Case[] = [
  ...inBothDirections(
    'forget',
    (direction) => `forgotten ${direction}: bytes are lost, their end too, and neither end hears of it`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      await link.block(direction)
      sender.send('on its way')
      await bench.settle()
      for (const one of link.connections!) one.forget(direction)
      await link.unblock(direction)
      sender.send('after')
      sender.socket.end()
      receiver.send('against it')
      assert.equal(await sender.receive(10), 'against it')
      await bench.settle()
      assert.deepEqual([receiver.text, receiver.isOpen, sender.isOpen], ['', true, true])
    },
  ),
  ...inBothDirections(
    'forget',
    (direction) => `forgotten ${direction}: a connection takes more than its link would hold back`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      // The proxy knows both ends now.
      receiver.send('there')
      await sender.receive(5)
      for (const one of link.connections!) one.forget(direction)
      await new Promise((resolve) => sender.socket.write(Buffer.alloc(32 * 1024 * 1024), resolve))
      assert.equal(receiver.text, '')
    },
  ),
  ...inBothDirections(
    'forget',
    (direction) => `forgotten ${direction}: the next connection carries bytes, though nothing came on the first`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const before = ends(await connect(), direction)
      for (const one of link.connections!) one.forget(direction)
      const next = ends(await connect(), direction)
      next.sender.send('hello')
      assert.equal(await next.receiver.receive(5), 'hello')
      before.sender.send('lost')
      await bench.settle()
      assert.equal(before.receiver.text, '')
    },
  ),
  ...inBothDirections(
    'reset one',
    (direction) => `reset ${direction} of one connection: its next bytes are lost and it ends; another one is spared`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const struck = ends(await connect(), direction)
      const spared = ends(await connect(), direction)
      const takeBack = await link.connections![0]!.resetNext(direction)
      struck.sender.send('lost')
      await Promise.all([struck.sender.end(), struck.receiver.end()])
      assert.equal(struck.receiver.text, '')
      spared.sender.send('arrives')
      assert.equal(await spared.receiver.receive(7), 'arrives')
      await takeBack()
    },
  ),
]
