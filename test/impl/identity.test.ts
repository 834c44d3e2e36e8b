import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/impl/canonical-json.ts'
import { fingerprintOf, freshToken, recordName } from '../../src/impl/identity.ts'

it('equal data has one fingerprint, whatever the order of its members', () => {
  expect(fingerprintOf({ a: 1, b: { d: [1, null], c: undefined } })).toBe(fingerprintOf({ b: { d: [1, null] }, a: 1 }))
  expect(canonicalJson({ b: [{ z: 1, y: 'é' }], a: undefined })).toBe('{"b":[{"y":"é","z":1}]}')
})

it('different data has different fingerprints', () => {
  const prints = [1, '1', null, [1], { a: 1 }, { a: '1' }, { a: [1] }].map(fingerprintOf)
  expect(new Set(prints).size).toBe(prints.length)
})

it('dates count as JSON writes them, and what JSON cannot carry is an error', () => {
  expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
  expect(() => canonicalJson({ amount: 1n })).toThrow(TypeError)
})

it('a key always has the same record, in one of 1024 buckets, and the buckets are all used', () => {
  expect(recordName('order-1')).toBe(recordName('order-1'))
  const buckets = new Set(Array.from({ length: 20_000 }, (_, index) => /\{b(\d+)\}/.exec(recordName(`k${index}`))![1]))
  expect([...buckets].every((bucket) => Number(bucket) < 1024)).toBe(true)
  expect(buckets.size).toBe(1024)
})

it('a token has 128 bits and is never the same', () => {
  expect(freshToken()).toMatch(/^[0-9a-f]{32}$/)
  expect(freshToken()).not.toBe(freshToken())
})
