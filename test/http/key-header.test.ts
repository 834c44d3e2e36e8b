import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyFromHeader, keyToHeader } from '../../src/http/key-header.ts'

it('a key goes into a header as it is, where that can carry it', () => {
  for (const key of ['order-1', '{order}:1:lock', 'a"b\\c']) expect(keyToHeader(key)).toBe(key)
  expect(keyToHeader('order 1')).toBe('order%201')
  expect(keyToHeader('\u{1f600}')).toBe('%F0%9F%98%80')
})

it('every key comes back from a header of visible ASCII, so that no two have one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (key) => {
      expect(keyToHeader(key)).toMatch(/^[\x21-\x7e]*$/)
      expect(keyFromHeader(keyToHeader(key))).toBe(key)
    }),
  )
})

it('what stands for no key is one', () => {
  expect(keyFromHeader('100%')).toBe('100%')
  expect(keyFromHeader('%ff')).toBe('%ff')
})
