/** The stream from a primary to a replica, held back by its position in the history. */
import { describe, expect, it } from 'vitest'
import { ReplicaStream } from '../../../src/live/held/replica-stream.ts'

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`

const set = command('SET', 'a', '1')
const ping = command('PING')

/** A text stream whose replica asked for byte 101. */
function lab(limit: number) {
  const held = { limit }
  const stream = new ReplicaStream(101, () => held.limit)
  return { held, take: (text: string) => stream.take(Buffer.from(text, 'latin1')).toString('latin1') }
}

describe('a stream that continues at the offset of the replica', () => {
  it('passes everything within the limit, and holds the first write beyond it', () => {
    const { take } = lab(100 + set.length)
    expect(take('+CONTINUE\r\n')).toBe('+CONTINUE\r\n')
    expect(take(set)).toBe(set)
    expect(take(set)).toBe('')
  })

  it('passes held bytes once the limit is higher', () => {
    const { held, take } = lab(100)
    expect(take(`+CONTINUE\r\n${set}`)).toBe('+CONTINUE\r\n')
    held.limit += set.length
    expect(take('')).toBe(set)
  })

  it('passes commands that change no data, but nothing behind a held write', () => {
    const { take } = lab(100)
    expect(take(`+CONTINUE\r\n${ping}${set}${ping}`)).toBe(`+CONTINUE\r\n${ping}`)
  })

  it('also counts commands that change no data, because they are part of the history', () => {
    const { take } = lab(100 + set.length)
    expect(take(`+CONTINUE\r\n${ping}${set}`)).toBe(`+CONTINUE\r\n${ping}`)
  })

  it('waits for the rest of a command', () => {
    const { take } = lab(1000)
    take('+CONTINUE\r\n')
    expect(take(set.slice(0, 9))).toBe('')
    expect(take(set.slice(9))).toBe(set)
  })
})

describe('a stream that begins with a full copy', () => {
  it.each([
    ['a copy of known length', '$4\r\nDATA'],
    ['a copy up to a mark', `$EOF:${'m'.repeat(40)}\r\nDATA${'m'.repeat(40)}`],
  ])('counts from the offset of %s', (_, payload) => {
    const { take } = lab(500 + set.length)
    const sent = `+FULLRESYNC ${'1'.repeat(40)} 500\r\n\n${payload}`
    expect(take(sent)).toBe(sent)
    expect(take(set)).toBe(set)
    expect(take(set)).toBe('')
  })

  it('recognizes a mark in two pieces', () => {
    const { take } = lab(500)
    const mark = 'm'.repeat(40)
    const all = `+FULLRESYNC x 500\r\n$EOF:${mark}\r\nDATA${mark}${set}`
    const at = all.length - set.length - 20
    expect(take(all.slice(0, at)) + take(all.slice(at))).toBe(all.slice(0, -set.length))
  })
})
