import assert from 'node:assert/strict'
import { ends } from '../bench.ts'
import { inBothDirections } from './case.ts'

/** Bytes that are dropped, and connections that are reset. */
export const resetCases = [
  ...inBothDirections(
    'reset',
    (direction) =>
      `reset ${direction}: the next bytes never arrive, what goes the other way does, and the connection ends`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      sender.send('before')
      await receiver.receive(6)
      const takeBack = await link.resetNext(direction)
      receiver.send('against it')
      assert.equal(await sender.receive(10), 'against it')
      sender.send('lost')
      await bench.settle()
      assert.equal(receiver.text, 'before')
      await Promise.all([sender.end(), receiver.end()])
      await takeBack()
      const next = ends(await connect(), direction)
      next.sender.send('arrives')
      assert.equal(await next.receiver.receive(7), 'arrives')
    },
  ),
  ...inBothDirections(
    'reset',
    (direction) => `reset ${direction}: a connection that began with it ends by RST`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      await link.resetNext(direction)
      const both = await connect()
      // The proxy knows both ends now.
      const { sender, receiver } = ends(both, direction)
      receiver.send('against it')
      await sender.receive(10)
      sender.send('lost')
      await bench.settle()
      assert.equal(receiver.text, '')
      assert.equal(await both.process.end(), 'ECONNRESET')
    },
  ),
  ...inBothDirections(
    'reset',
    (direction) => `reset ${direction} by two faults: it is in place until both are taken back, each of them once`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const [first, second] = [await link.resetNext(direction), await link.resetNext(direction)]
      await first()
      await first()
      const struck = ends(await connect(), direction)
      struck.sender.send('lost')
      await bench.settle()
      assert.equal(struck.receiver.text, '')
      await struck.receiver.end()
      await second()
      const spared = ends(await connect(), direction)
      spared.sender.send('arrives')
      assert.equal(await spared.receiver.receive(7), 'arrives')
    },
  ),
]
