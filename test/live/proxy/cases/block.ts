import assert from 'node:assert/strict'
import { ends } from '../bench.ts'
import { soon } from '../line.ts'
import { inBothDirections } from './case.ts'

/** Directions that are blocked and unblocked. */
export const blockCases = [
  ...inBothDirections(
    'block',
    (direction) =>
      `blocked ${direction}: bytes wait, and arrive in order once the direction is free; the other one is free`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const both = await connect()
      const { sender, receiver } = ends(both, direction)
      assert.equal(await link.block(direction), true)
      for (const text of ['one ', 'two ', 'three']) {
        sender.send(text)
        await bench.settle()
      }
      assert.equal(receiver.text, '')
      receiver.send('against it')
      assert.equal(await sender.receive(10), 'against it')
      assert.equal(await link.unblock(direction), true)
      assert.equal(await receiver.receive(13), 'one two three')
      assert.deepEqual([sender.isOpen, receiver.isOpen], [true, true])
    },
  ),
  ...inBothDirections(
    'block',
    (direction) => `blocked ${direction} by two faults: free once both are healed`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      assert.deepEqual([await link.block(direction), await link.block(direction)], [true, false])
      assert.equal(await link.unblock(direction), false)
      sender.send('waits')
      await bench.settle()
      assert.equal(receiver.text, '')
      assert.equal(await link.unblock(direction), true)
      assert.equal(await receiver.receive(5), 'waits')
    },
  ),
  ...inBothDirections(
    'block',
    (direction) => `blocked ${direction}: also on a connection that is made meanwhile, and after a cut`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      await link.block(direction)
      await link.cut()
      const { sender, receiver } = ends(await connect(), direction)
      sender.send('waits')
      await bench.settle()
      assert.equal(receiver.text, '')
      await link.unblock(direction)
      assert.equal(await receiver.receive(5), 'waits')
    },
  ),
  ...inBothDirections(
    'block',
    (direction) =>
      `blocked ${direction}: a sender that sends more than a link holds back is slowed down, and nothing is lost`,
    async (bench, direction) => {
      const { link, connect } = await bench.link()
      const { sender, receiver } = ends(await connect(), direction)
      await link.block(direction)
      const length = 64 * 1024 * 1024
      sender.socket.write(Buffer.alloc(length, 'x'))
      await bench.settle()
      assert.equal(receiver.text, '')
      assert.ok(sender.socket.writableLength > 0)
      const arrives = new Promise<number>((resolve) => {
        let arrived = 0
        receiver.socket.on('data', (bytes) => {
          arrived += bytes.length
          if (arrived >= length) resolve(arrived)
        })
      })
      await link.unblock(direction)
      assert.equal(await soon(arrives, 'all that was held back'), length)
    },
  ),
]
