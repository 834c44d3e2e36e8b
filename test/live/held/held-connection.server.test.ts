/** Connections of a Sentinel and a replica to a server, with the bytes that wait for their step. */
import { once as heardOnce } from 'node:events'
import net from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { HeldLink } from '../../../src/live/held/held-link.ts'
import { HeldRules } from '../../../src/live/held/held-rules.ts'

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A link to `redis-2`, whose server never answers by itself. */
async function lab() {
  const rules = new HeldRules()
  rules.hold()
  const heard: string[] = []
  let far: net.Socket | null = null
  const server = net.createServer((socket) => {
    far = socket
    socket.on('error', () => {})
    socket.on('data', (bytes) => void heard.push(bytes.toString('latin1')))
  })
  server.listen(0, '127.0.0.1')
  await heardOnce(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const link = await HeldLink.open({
    name: 'redis-2',
    isSentinel: false,
    rules,
    to: { host: '127.0.0.1', port },
    syncs: () => {},
    whoSays: ([, what, name]) =>
      what === 'SETNAME' ? { name: name!, isSentinel: name!.startsWith('sentinel') } : null,
  })
  rules.changed = () => link.passOn()
  const accepted = heardOnce(server, 'connection')
  const client = net.connect(link.address)
  await Promise.all([heardOnce(client, 'connect'), accepted])
  const reported: string[] = []
  client.on('data', (bytes) => void reported.push(bytes.toString('latin1')))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  closing.push(async () => far?.destroy())
  closing.push(() => link.close())
  closing.push(async () => client.destroy())
  // Bytes on loopback arrive at once. Each hop takes a turn of the event loop.
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
  return {
    rules,
    async says(...commands: string[]) {
      client.write(commands.join(''))
      await settled()
      return heard.splice(0).join('')
    },
    async answers(text: string) {
      far!.write(text)
      await settled()
      return reported.splice(0).join('')
    },
    async once(change: () => void) {
      change()
      await settled()
      return { heard: heard.splice(0).join(''), reported: reported.splice(0).join('') }
    },
  }
}

const sentinel = command('CLIENT', 'SETNAME', 'sentinel-1')
const replica = command('CLIENT', 'SETNAME', 'redis-3')
const lead = [command('MULTI'), command('SLAVEOF', 'NO', 'ONE'), command('CONFIG', 'REWRITE'), command('EXEC')]
const ping = command('PING')

describe('an order of a Sentinel', () => {
  it('waits for its step, with everything behind it', async () => {
    const { says, once, rules } = await lab()
    expect(await says(sentinel, ping, ...lead, ping)).toBe(sentinel + ping)
    const { heard } = await once(() => rules.allow({ server: 'redis-2', follows: null }))
    expect(heard).toBe(lead.join('') + ping)
  })

  it('continues in no other step', async () => {
    const { says, once, rules } = await lab()
    await says(sentinel, ...lead)
    const { heard } = await once(() => rules.allow({ server: 'redis-2', follows: { host: '127.0.0.1', port: 1 } }))
    expect(heard).toBe('')
  })
})

describe('a reply to a Sentinel', () => {
  it('waits until the Sentinel may learn about it', async () => {
    const { says, answers, once, rules } = await lab()
    await says(sentinel)
    rules.unaware(['sentinel-1'])
    expect(await answers('+PONG\r\n')).toBe('')
    expect((await once(() => rules.learns('sentinel-1'))).reported).toBe('+PONG\r\n')
  })

  it('arrives at once if another Sentinel is kept unaware', async () => {
    const { says, answers, rules } = await lab()
    await says(sentinel)
    rules.unaware(['sentinel-2'])
    expect(await answers('+PONG\r\n')).toBe('+PONG\r\n')
  })
})

describe('two machines that are cut off from each other', () => {
  it('exchange nothing until the cut ends, and lose nothing', async () => {
    const { says, answers, once, rules } = await lab()
    await says(replica)
    expect(rules.cut([['redis-3', 'redis-2']])).toBe(true)
    expect(await says(ping)).toBe('')
    expect(await answers('+PONG\r\n')).toBe('')
    expect(await once(() => rules.uncut([['redis-2', 'redis-3']]))).toEqual({ heard: ping, reported: '+PONG\r\n' })
  })

  it('stay cut off until the last fault ends', async () => {
    const { says, rules } = await lab()
    await says(replica)
    rules.cut([['redis-3', 'redis-2']])
    expect(rules.cut([['redis-2', 'redis-3']])).toBe(false)
    rules.cut([
      ['redis-2', 'redis-3'],
      ['redis-2', 'redis-1'],
    ])
    expect(rules.uncut([['redis-2', 'redis-3']])).toBe(false)
    expect(await says(ping)).toBe('')
  })
})

describe('a replica', () => {
  const psync = command('PSYNC', 'x', '101')

  it('requests the history only in its step', async () => {
    const { says, once, rules } = await lab()
    expect(await says(replica, psync)).toBe(replica)
    expect((await once(() => rules.limit('redis-3', 'redis-2', 100))).heard).toBe(psync)
  })

  it('receives only what it may have', async () => {
    const { says, answers, once, rules } = await lab()
    const set = command('SET', 'a', '1')
    rules.limit('redis-3', 'redis-2', 100)
    await says(replica, psync)
    expect(await answers(`+CONTINUE\r\n${set}`)).toBe('+CONTINUE\r\n')
    expect((await once(() => rules.limit('redis-3', 'redis-2', 100 + set.length))).reported).toBe(set)
  })

  it('reports that it is alive while it empties its data, and later bytes get through', async () => {
    const { says } = await lab()
    const acknowledged = command('REPLCONF', 'ACK', '100')
    expect(await says(replica, '\n\n', acknowledged)).toBe(`${replica}\n\n${acknowledged}`)
    expect(await says('\n')).toBe('\n')
  })
})
