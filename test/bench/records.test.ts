import { expect, it } from 'vitest'
import { type Encoding, encodings, lengthsOf, recordOf, unpacked } from '../../bench/real-redis/records.ts'

const named = (text: string): Encoding => encodings.find(({ name }) => name.startsWith(text))!
const record = recordOf(5)

it('each record has a different key, and all keys of an encoding have the same length', () => {
  for (const { name, key } of encodings) {
    const keys = Array.from({ length: 3000 }, (_, n) => key(recordOf(123_456 + n)))
    expect(new Set(keys.map((one) => one.toString('latin1'))).size, name).toBe(3000)
    expect(new Set(keys.map(({ length }) => length)).size, name).toBe(1)
  }
})

it('a complete encoding keeps everything that the article stores', () => {
  const { messageId, ...stored } = record
  expect(unpacked(messageId, named('packed: 27').value(record) as Buffer)).toEqual(record)
  const { status, result, ...rest } = JSON.parse(String(named('JSON, as').value(record)))
  expect({ status, ...rest, ...result }).toEqual({ status: 'COMPLETED', success: true, ...stored })
  for (const { name, keeps, value } of encodings) {
    const kept = value(record)
    const text = Buffer.isBuffer(kept) ? kept.toString('latin1') : JSON.stringify(kept)
    expect(text.includes(record.transactionId.slice(4)), name).toBe(keeps === 'all')
    expect(value(recordOf(5)), name).toEqual(kept)
  }
})

it('lengthsOf returns the lengths of key and value', () => {
  expect(lengthsOf(named('packed: 27'))).toEqual({ keyBytes: 58, valueBytes: 27 })
  expect(lengthsOf(named('packed, and'))).toEqual({ keyBytes: 18, valueBytes: 27 })
  expect(lengthsOf(named('the same, at'))).toEqual({ keyBytes: 22, valueBytes: 9 })
  expect(lengthsOf(named('a hash'))).toEqual({
    keyBytes: 58,
    valueBytes: 'ownercompletedAtresult'.length + 25 + 13 + 14,
  })
})
