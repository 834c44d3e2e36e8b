import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { canned, openCannedReplies } from '../../bench/contenders/canned-replies.ts'
import { cannedConnector } from '../../bench/contenders/canned-stream.ts'

test('ioredis on canned replies plays the same workload as every contender', async () => {
  const contender = await openCannedReplies()
  const { deliveries, repeated } = await contender.run(3)
  await contender.close()
  expect({ deliveries, repeated }).toEqual({ deliveries: 27, repeated: 0 })
})

test('a client reads its canned replies', async () => {
  const replies = ['+PONG\r\n', '$5\r\nother\r\n']
  const Connector = cannedConnector(() => () => Buffer.from(replies.shift()!))
  const client = new Redis({ Connector, enableReadyCheck: false, disableClientInfo: true, protocol: 2 })
  expect([await client.ping(), await client.ping()]).toEqual(['PONG', 'other'])
  client.disconnect()
})

test('a client with a different request gets no reply', () => {
  const answer = canned([[{ requestBytes: 4, reply: Buffer.from('+PONG') }]]).open()
  expect(() => answer(Buffer.from('other'))).toThrow('its requests differ')
})
