import { expect, test } from 'vitest'
import { canonicalJson } from '../../../src/contract/api/json.ts'

test('canonicalJson writes members in the order of their names', () => {
  expect(canonicalJson({ b: 1, a: { d: [1, { z: 0, y: null }], c: 'x' } })).toBe(
    '{"a":{"c":"x","d":[1,{"y":null,"z":0}]},"b":1}',
  )
  expect(canonicalJson({ b: 1, a: 2 })).not.toBe(canonicalJson({ a: 1, b: 2 }))
})

test('canonicalJson orders few members and many members alike, by UTF-16 code units', () => {
  const names = Array.from({ length: 100 }, (_, at) => `${(at * 37) % 100}é${at}`)
  for (const some of [names, names.slice(0, 20), ['10', '9', 'B', 'a', '', '\ud800', '\uffff']]) {
    const written = canonicalJson(Object.fromEntries(some.map((name) => [name, 0])))
    expect(written).toBe(
      `{${[...some]
        .sort()
        .map((name) => `${JSON.stringify(name)}:0`)
        .join(',')}}`,
    )
  }
})

test('canonicalJson omits the same values as JSON, and keeps empty ones', () => {
  expect(canonicalJson({ a: undefined, b: [], c: {}, d: '' })).toBe('{"b":[],"c":{},"d":""}')
  expect(canonicalJson([undefined, [[]], ''])).toBe('[null,[[]],""]')
  expect(canonicalJson({ a: undefined })).toBe('{}')
})
