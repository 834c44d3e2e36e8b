import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyFromHeader, keyToHeader } from '../../src/http/key-header.ts'

it('a key is sent unchanged if a header can carry it', () => {
  for (const key of ['order-1', '{order}:1:lock', 'a"b\\c']) expect(keyToHeader(key)).toBe(key)
  expect(keyToHeader('order 1')).toBe('order%201')
  expect(keyToHeader('\u{1f600}')).toBe('%F0%9F%98%80')
})

it('every key can be restored from a header of visible ASCII, so that keys do not collide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (key) => {
      expect(keyToHeader(key)).toMatch(/^[\x21-\x7e]*$/)
      expect(keyFromHeader(keyToHeader(key))).toBe(key)
    }),
  )
})

it('a header with an invalid escape is its own key', () => {
  expect(keyFromHeader('100%')).toBe('100%')
  expect(keyFromHeader('%ff')).toBe('%ff')
})
