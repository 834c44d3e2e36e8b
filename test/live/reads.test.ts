import { describe, expect, it } from 'vitest'
import { readsOf } from '../../src/live/consumer/reads.ts'

const ok = '+OK\r\n'
const one = ':1\r\n'
const changed = '>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n'
const message = '*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n1\r\n'

const read = (...written: string[]) =>
  readsOf(written.map((part) => Buffer.from(part))).map(({ bytes, decides }) => [`${bytes}`, `${decides}`])

describe('bytes that a server wrote at once', () => {
  it('are read reply by reply, each with the push messages beside it', () => {
    expect(read(ok, changed, one)).toEqual([
      [ok + changed, ok],
      [one, one],
    ])
    expect(read(message, one, ok)).toEqual([
      [message + one, one],
      [ok, ok],
    ])
  })

  it('are read whole if they are all push messages', () => {
    expect(read(changed, changed)).toEqual([[changed + changed, changed]])
  })
})
