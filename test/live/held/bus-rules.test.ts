/**
 * Which messages of other nodes a Cluster node receives in a run that follows a schedule. The
 * messages are made up.
 */
import { expect, it } from 'vitest'
import type { NodeView } from '../../../src/contract/results/step.ts'
import { type BusMessage, BusReader, failMessage } from '../../../src/live/held/bus-message.ts'
import { BusRules } from '../../../src/live/held/bus-rules.ts'

const idOf = (suffix: string): string => suffix.repeat(20)
const nodes = ['1a', '1b', '2a'].map((suffix) => ({
  name: `redis-${suffix}`,
  id: idOf(suffix),
  shard: Number(suffix[0]) - 1,
}))

const led: NodeView = {
  state: 'ok',
  shards: [
    { owner: 'redis-1a', replicas: [] },
    { owner: 'redis-2a', replicas: [] },
  ],
  failing: [],
}
const replaced: NodeView = { ...led, shards: [{ owner: 'redis-1b', replicas: [] }, led.shards[1]!] }

/** The rules for redis-2a if it has this view. */
function rules(view: NodeView, reach = true): BusRules {
  const found = new BusRules(nodes, { reach: () => reach })
  for (const [server, epoch] of [
    ['redis-1a', 1],
    ['redis-2a', 2],
    ['redis-1b', 3],
  ] as const)
    found.claims(server, epoch)
  found.believes('redis-2a', view)
  return found
}

const said = (more: Partial<BusMessage>): BusMessage => ({
  sender: idOf('1a'),
  isPong: false,
  isOfFailover: false,
  stands: null,
  primary: null,
  servesSlots: true,
  configEpoch: 1,
  hasData: true,
  update: null,
  bytes: Buffer.alloc(0),
  ...more,
})
/** redis-1b has replaced redis-1a. */
const claim = said({ sender: idOf('1b'), configEpoch: 3 })
const update = said({ sender: idOf('1b'), update: idOf('1b') })
const asReplica = said({ sender: idOf('1b'), primary: idOf('1a'), hasData: false })

it.each([
  ['a primary of its view', said({}), led, true],
  ['the claim of a successor, once in its view', claim, replaced, true],
  ['the claim of a successor that is not yet in its view', claim, led, false],
  ['an update about a successor, once in its view', update, replaced, true],
  ['an update about a successor that is not yet in its view', update, led, false],
  ['the claim of a replaced primary', said({}), replaced, true],
  ['a replica without data', asReplica, led, true],
  ['a replica with data in its reports', { ...asReplica, hasData: true }, reports('redis-1b'), true],
  ['a replica with data that is not yet in its reports', { ...asReplica, hasData: true }, led, false],
  ['an old primary that follows an unknown successor', said({ primary: idOf('1b') }), led, false],
  ['a pong of a node that it considers dead', said({ isPong: true }), { ...led, failing: ['redis-1a'] }, false],
  ['a ping of a node that it considers dead', said({}), { ...led, failing: ['redis-1a'] }, true],
  ['a report that a node is dead', said({ isOfFailover: true }), led, false],
] as const)('a node receives %s according to its view', (_, message, view, passes) => {
  expect(rules(view).passes(message, 'redis-2a')).toBe(passes)
})

function reports(replica: string): NodeView {
  return { ...led, shards: [{ owner: 'redis-1a', replicas: [replica] }, led.shards[1]!] }
}

it('a node receives nothing from nodes it is cut off from, and everything if it is not held', () => {
  expect(rules(led, false).passes(said({}), 'redis-2a')).toBe(false)
  expect(new BusRules(nodes, { reach: () => false }).passes(said({}), 'redis-2a')).toBe(true)
})

it('an isolated node gets no pongs, but pings', () => {
  const found = rules(led)
  found.isolate('redis-2a', 'unanswered')
  expect([said({ isPong: true }), said({})].map((one) => found.passes(one, 'redis-2a'))).toEqual([false, true])
  found.isolate('redis-2a', 'deaf')
  expect(found.passes(said({}), 'redis-2a')).toBe(false)
  found.isolate('redis-2a', null)
  expect(found.passes(said({ isPong: true }), 'redis-2a')).toBe(true)
})

/** A header of Redis 7.0: length, type, sender, slots, primary. */
function header(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.write('RCmb')
  bytes.writeUInt32BE(length, 4)
  bytes.writeUInt16BE(1, 12)
  bytes.writeBigUInt64BE(7n, 24)
  bytes.write(idOf('1a'), 40)
  bytes[80] = 1
  return bytes
}

it('messages are read whole, however they are split', () => {
  const reader = new BusReader()
  const bytes = Buffer.concat([header(2300), header(2256)])
  const read = [bytes.subarray(0, 2290), bytes.subarray(2290)].flatMap((part) => reader.take(part))
  expect(read.map((one) => one.bytes.length)).toEqual([2300, 2256])
  expect(read[0]).toMatchObject({ sender: idOf('1a'), isPong: true, primary: null, servesSlots: true, configEpoch: 7 })
})

it('a FAIL message has the header of its sender', () => {
  const [message] = new BusReader().take(header(2300))
  const [word] = new BusReader().take(failMessage(message!, idOf('2a')))
  expect(word).toMatchObject({ sender: idOf('1a'), isOfFailover: true, configEpoch: 7 })
  expect(word!.bytes.toString('latin1', 2256)).toBe(idOf('2a'))
})
