import { readReply } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { crc64 } from '../src/dump/crc64.ts'
import { compress, decompress } from '../src/dump/lzf.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'
import { ServerByHand } from './server-by-hand.ts'

describe('LZF', () => {
  it.each([['a'.repeat(100)], ['abcabcabcabcabcabcabcabcabcabc'], [`${'x'.repeat(9000)}yz${'x'.repeat(300)}`]])(
    'decompresses what it compressed',
    (text) => {
      const packed = compress(text, text.length)!
      expect(packed.length).toBeLessThan(text.length)
      expect(decompress(packed, text.length)).toBe(text)
    },
  )

  it.each([['\x20\x00'], ['\x05ab'], ['\xff']])('rejects corrupt bytes', (bytes) => {
    expect(() => decompress(bytes, 10)).toThrow()
  })
})

it('CRC-64 has the published checksum of 123456789', () => {
  expect(Buffer.from(crc64('123456789'), 'latin1').readBigUInt64LE()).toBe(0xe9c6d914c4b8d9can)
})

describe('RESTORE', () => {
  const dumped = () => {
    const client = new ServerByHand().client()
    client.run('RPUSH k a b c 1 2 3')
    const payload = readReply(client.run('DUMP k'), 0)!.text!
    return { client, payload, restore: (bytes: string) => client.raw(encodeCommand(['RESTORE', 'm', '0', bytes])) }
  }

  it('rejects a payload with any changed byte, and accepts the original', () => {
    const { payload, restore } = dumped()
    for (let at = 0; at < payload.length; at++) {
      const changed = payload.slice(0, at) + String.fromCharCode(payload.charCodeAt(at) ^ 1) + payload.slice(at + 1)
      expect(restore(changed)).toBe('-ERR DUMP payload version or checksum are wrong\r\n')
    }
    expect(restore(payload)).toBe('+OK\r\n')
  })

  it('rejects bytes that are not a value, even with a correct checksum', () => {
    const { payload, restore } = dumped()
    for (let at = 0; at < payload.length - 10; at++) {
      const body = `${payload.slice(0, at)}${payload.slice(-10, -8)}`
      expect(restore(body + crc64(body))).toBe('-ERR Bad data format\r\n')
    }
  })

  it('rejects a payload of a newer server', () => {
    const { payload, restore } = dumped()
    const body = `${payload.slice(0, -10)}\x0b\0`
    expect(restore(body + crc64(body))).toBe('-ERR DUMP payload version or checksum are wrong\r\n')
  })
})
