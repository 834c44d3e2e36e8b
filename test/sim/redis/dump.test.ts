import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readReply } from '../../../src/fidelity/reply-tree.ts'
import { crc64 } from '../../../src/sim/redis/dump/crc64.ts'
import { compress, decompress } from '../../../src/sim/redis/dump/lzf.ts'
import { RealServer, realRedisInstalled } from './real-server.ts'
import { encodeWords, ServerByHand } from './server-by-hand.ts'

const words = (text: string) => text.split(' ')
const many = Array.from({ length: 700 }, (_, at) => `element ${at} ${'x'.repeat(at % 90)}`)

const values: readonly (readonly [string, readonly (readonly string[])[], string])[] = [
  ['a string', [['SET', 'k', 'text that repeats, text that repeats, text that repeats']], 'GET k'],
  ['a long list', [['RPUSH', 'k', ...many]], 'LRANGE k 0 -1'],
  ['a hash table', [['HSET', 'k', ...many.flatMap((text) => [text, text])]], 'HLEN k'],
  ['a set of integers', [words('SADD k 1 -70000 12345678901')], 'SMEMBERS k'],
  ['a set', [['SADD', 'k', ...many]], 'SCARD k'],
  ['a skip list', [['ZADD', 'k', ...many.flatMap((text, at) => [String(at / 3), text])]], 'ZRANGE k 0 -1 WITHSCORES'],
  [
    'a stream with groups',
    [
      ...Array.from({ length: 120 }, (_, at) => words(`XADD k ${at + 1}-0 a ${at} b ${at % 3}`)),
      words('XDEL k 5-0 6-0 118-0'),
      words('XGROUP CREATE k g 0'),
      words('XREADGROUP GROUP g alice COUNT 3 STREAMS k >'),
      words('XREADGROUP GROUP g bob COUNT 1 STREAMS k >'),
      words('XACK k g 2-0'),
    ],
    'XRANGE k - +',
  ],
]

describe('LZF', () => {
  it.each([['a'.repeat(100)], ['abcabcabcabcabcabcabcabcabcabc'], [`${'x'.repeat(9000)}yz${'x'.repeat(300)}`]])(
    'gives back what it packed',
    (text) => {
      const packed = compress(text, text.length)!
      expect(packed.length).toBeLessThan(text.length)
      expect(decompress(packed, text.length)).toBe(text)
    },
  )

  it.each([['\x20\x00'], ['\x05ab'], ['\xff']])('refuses bytes that hold nothing', (bytes) => {
    expect(() => decompress(bytes, 10)).toThrow()
  })
})

it('has the checksum that its inventors give for 123456789', () => {
  expect(Buffer.from(crc64('123456789'), 'latin1').readBigUInt64LE()).toBe(0xe9c6d914c4b8d9can)
})

describe('RESTORE', () => {
  const dumped = () => {
    const client = new ServerByHand().client()
    client.run('RPUSH k a b c 1 2 3')
    const payload = readReply(client.run('DUMP k'), 0)!.text!
    return { client, payload, restore: (bytes: string) => client.raw(encodeWords(['RESTORE', 'm', '0', bytes])) }
  }

  it('refuses a payload in which any byte was changed, and takes the whole one', () => {
    const { payload, restore } = dumped()
    for (let at = 0; at < payload.length; at++) {
      const changed = payload.slice(0, at) + String.fromCharCode(payload.charCodeAt(at) ^ 1) + payload.slice(at + 1)
      expect(restore(changed)).toBe('-ERR DUMP payload version or checksum are wrong\r\n')
    }
    expect(restore(payload)).toBe('+OK\r\n')
  })

  it('refuses bytes that are no value, though their checksum is right', () => {
    const { payload, restore } = dumped()
    for (let at = 0; at < payload.length - 10; at++) {
      const body = `${payload.slice(0, at)}${payload.slice(-10, -8)}`
      expect(restore(body + crc64(body))).toBe('-ERR Bad data format\r\n')
    }
  })

  it('refuses what a newer server wrote', () => {
    const { payload, restore } = dumped()
    const body = `${payload.slice(0, -10)}\x0b\0`
    expect(restore(body + crc64(body))).toBe('-ERR DUMP payload version or checksum are wrong\r\n')
  })
})

describe.skipIf(!realRedisInstalled)('beside a real server', () => {
  let real: RealServer
  beforeAll(async () => {
    real = await RealServer.start()
  })
  afterAll(() => real.stop())

  it.each(values)('takes over what the other one dumped: %s', async (_what, commands, read) => {
    const simulated = new ServerByHand().client()
    const client = await real.client()
    const run = async (args: readonly string[]) => {
      client.send(args)
      let bytes = ''
      while (readReply(bytes, 0) === undefined)
        bytes += await new Promise<string>((got) => client.socket.once('data', got))
      return bytes
    }
    await run(['FLUSHALL'])
    for (const args of commands) {
      await run(args)
      simulated.raw(encodeWords(args))
    }
    const fromReal = readReply(await run(['DUMP', 'k']), 0)!.text!
    const fromSimulated = readReply(simulated.run('DUMP k'), 0)!.text!
    expect(await run(['RESTORE', 'k', '0', fromSimulated, 'REPLACE'])).toBe('+OK\r\n')
    expect(simulated.raw(encodeWords(['RESTORE', 'k', '0', fromReal, 'REPLACE']))).toBe('+OK\r\n')
    expect(simulated.run(read)).toBe(await run(words(read)))
    for (const more of ['OBJECT ENCODING k', 'TYPE k', 'XINFO GROUPS k', 'XPENDING k g']) {
      expect(simulated.run(more)).toBe(await run(words(more)))
    }
    client.socket.destroy()
  })
})
