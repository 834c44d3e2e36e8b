import { describe, expect, it } from 'vitest'
import { keysOutside } from '../../src/live/consumer/key-prefix.ts'
import { asReply, CommandReader, confirms, ReplyReader } from '../../src/live/consumer/resp.ts'

const sent = (...args: string[]) =>
  `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`

describe('outgoing commands', () => {
  it('are found wherever the bytes are cut', () => {
    const bytes = Buffer.from(sent('GET', 'a\r\nb') + sent('SET', 'k', ''))
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new CommandReader()
      const all = [...reader.take(bytes.subarray(0, cut)), ...reader.take(bytes.subarray(cut))]
      expect(all.map(({ args }) => args)).toEqual([
        ['GET', 'a\r\nb'],
        ['SET', 'k', ''],
      ])
    }
  })

  it('have the position of their last byte in the newest piece', () => {
    const reader = new CommandReader()
    const [first, second] = [sent('GET', 'a'), sent('GET', 'b')]
    expect(reader.take(Buffer.from(first + second)).map(({ end }) => end)).toEqual([
      first.length,
      first.length + second.length,
    ])
    reader.take(Buffer.from(first.slice(0, 5)))
    expect(reader.take(Buffer.from(first.slice(5)))[0]?.end).toBe(first.length - 5)
  })
})

describe('incoming replies', () => {
  it('are separated, nested and in pieces, without push messages', () => {
    const replies = [
      '+OK\r\n',
      '$-1\r\n',
      '*2\r\n$1\r\na\r\n*1\r\n:5\r\n',
      '>2\r\n+message\r\n+x\r\n',
      '%1\r\n+k\r\n:1\r\n',
      '-ERR no\r\n',
    ]
    const bytes = Buffer.from(replies.join(''))
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new ReplyReader()
      const all = [...reader.take(bytes.subarray(0, cut)), ...reader.take(bytes.subarray(cut))]
      expect(all).toEqual(['OK', 'nil', '[a, 5]', '[k, 1]', '(error) ERR no'])
    }
  })
})

describe('a message of RESP3', () => {
  const pushed = Buffer.from('>3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n')

  it('answers the command of the same name, as a list', () => {
    expect(confirms(pushed, { args: ['SUBSCRIBE', 'c'] })).toBe(true)
    expect(asReply(pushed)).toBe('*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n')
  })

  it('answers no other command', () => {
    expect(confirms(pushed, { args: ['GET', 'c'] })).toBe(false)
    expect(confirms(pushed, undefined)).toBe(false)
    expect(confirms(Buffer.from('>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n'), { args: ['SUBSCRIBE'] })).toBe(false)
  })
})

describe('the prefix of a user’s server', () => {
  it('is required of keys of commands and scripts, and unknown commands count as outside', () => {
    expect(keysOutside(['GET', 'p:a'], 'p:')).toBe(false)
    expect(keysOutside(['get', 'a'], 'p:')).toBe(true)
    expect(keysOutside(['EVALSHA', 'x', '2', 'p:a', 'p:b', 'argument'], 'p:')).toBe(false)
    expect(keysOutside(['EVAL', 'x', '2', 'p:a', 'b'], 'p:')).toBe(true)
    expect(keysOutside(['DEL', 'p:a', 'b'], 'p:')).toBe(true)
    expect(keysOutside(['INFO'], 'p:')).toBe(false)
    expect(keysOutside(['CLIENT', 'SETNAME', 'a'], 'p:')).toBe(false)
    expect(keysOutside(['client', 'pause', '1000'], 'p:')).toBe(true)
    expect(keysOutside(['SCRIPT', 'KILL'], 'p:')).toBe(true)
    for (const harmful of ['FLUSHALL', 'KEYS', 'CONFIG', 'SWAPDB'])
      expect(keysOutside([harmful, 'p:a'], 'p:')).toBe(true)
    expect(keysOutside(['SCRIPT', 'FLUSH'], 'p:')).toBe(true)
  })
})
