import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/impl/canonical-json.ts'
import { bucketKeysOf, fingerprintOf, freshToken, generationName } from '../../src/impl/identity.ts'

it('equal data has one fingerprint, whatever the order of its members', () => {
  const one = fingerprintOf({ a: 1, b: { d: [1, null], c: undefined } }, 5)
  expect(one).toBe(fingerprintOf({ b: { d: [1, null] }, a: 1 }, 5))
  expect(canonicalJson({ b: [{ z: 1, y: 'é' }], a: undefined })).toBe('{"b":[{"y":"é","z":1}]}')
})

it('the birth of a key is part of its fingerprint', () => {
  expect(fingerprintOf(1, 5)).not.toBe(fingerprintOf(1, 6))
})

it('different data has different fingerprints', () => {
  const prints = [1, '1', null, [1], { a: 1 }, { a: '1' }, { a: [1] }].map((data) => fingerprintOf(data, 5))
  expect(new Set(prints).size).toBe(prints.length)
})

it('dates count as JSON writes them, and what JSON cannot carry is an error', () => {
  expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
  expect(() => canonicalJson({ amount: 1n })).toThrow(TypeError)
})

it('a key always has the same record, in one of 1024 buckets, and the buckets are all used', () => {
  expect(bucketKeysOf('order-1', 1024)).toEqual(bucketKeysOf('order-1', 1024))
  const tags = Array.from(
    { length: 20_000 },
    (_, index) => /\{b(\d+)\}/.exec(bucketKeysOf(`k${index}`, 1024).record)![1],
  )
  const buckets = new Set(tags)
  expect([...buckets].every((bucket) => Number(bucket) < 1024)).toBe(true)
  expect(buckets.size).toBe(1024)
})

it('a record shares a slot with the generation of its bucket, which no record can be mistaken for', () => {
  const { record, generation } = bucketKeysOf('/1024', 1024)
  const tag = (name: string) => /\{.*?\}/.exec(name)![0]
  expect(tag(record)).toBe(tag(generation))
  expect(record).not.toBe(generation)
})

it('another number of buckets knows nothing of generations under this one', () => {
  expect(generationName(3, 4)).not.toBe(generationName(3, 1024))
})

it('a token has 128 bits and is never the same', () => {
  expect(freshToken()).toMatch(/^[0-9a-f]{32}$/)
  expect(freshToken()).not.toBe(freshToken())
})
