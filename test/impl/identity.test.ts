import { expect, it } from 'vitest'
import {
  bucketKeysOf,
  fingerprintOf,
  formerFingerprintOf,
  freshToken,
  generationName,
} from '../../src/impl/identity.ts'

it('key, payload and produced-at time are distinct parts of a fingerprint', () => {
  const prints = [
    fingerprintOf('k', '1', 5),
    fingerprintOf('l', '1', 5),
    fingerprintOf('k', '2', 5),
    fingerprintOf('k', '1', 6),
    fingerprintOf('k" "l', '1', 5),
    fingerprintOf('k', '"l" 1', 5),
    formerFingerprintOf('k', '1', 5),
    formerFingerprintOf('k', '"k"', 5),
  ]
  expect(fingerprintOf('k', '1', 5)).toBe(prints[0])
  expect(new Set(prints).size).toBe(prints.length)
})

it('a former fingerprint is not trusted if the record may belong to a key that was not Unicode', () => {
  expect(formerFingerprintOf('\uFFFD', '1', 5)).toBe('')
})

it('a key always has the same record, in one of 1024 buckets that are all used', () => {
  expect(bucketKeysOf('order-1', 1024)).toEqual(bucketKeysOf('order-1', 1024))
  const tags = Array.from(
    { length: 20_000 },
    (_, index) => /\{b(\d+)\}/.exec(bucketKeysOf(`k${index}`, 1024).record)![1],
  )
  const buckets = new Set(tags)
  expect([...buckets].every((bucket) => Number(bucket) < 1024)).toBe(true)
  expect(buckets.size).toBe(1024)
})

it('a record shares a slot with the generation of its bucket, but no record has its name', () => {
  const { record, generation } = bucketKeysOf('/1024', 1024)
  const tag = (name: string) => /\{.*?\}/.exec(name)![0]
  expect(tag(record)).toBe(tag(generation))
  expect(record).not.toBe(generation)
})

it('another number of buckets has other generations', () => {
  expect(generationName(3, 4)).not.toBe(generationName(3, 1024))
})

it('a token has 128 bits and is unique', () => {
  expect(freshToken()).toMatch(/^[0-9a-f]{32}$/)
  expect(freshToken()).not.toBe(freshToken())
})
