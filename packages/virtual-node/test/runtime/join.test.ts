import { describe, expect, it } from 'vitest'
import { install } from '../../src/runtime/install.ts'

const realJoin = Array.prototype.join
install()

/** Joins four times, so that a result can be cached, and again after the change. */
function before(array: unknown[], change: () => void, separator?: string): [string, string] {
  for (let time = 0; time < 4; time++) expect(array.join(separator)).toBe(realJoin.call(array, separator))
  change()
  return [array.join(separator), realJoin.call(array, separator)]
}

describe('joining the same array repeatedly', () => {
  it('returns the current content', () => {
    const changes: ((array: unknown[]) => void)[] = [
      () => {},
      (array) => void (array[0] = 'c'),
      (array) => array.push('c'),
      (array) => array.pop(),
      (array) => array.reverse(),
      (array) => void (array[1] = { toString: () => 'c' }),
      (array) => void (array.length = 0),
    ]
    for (const change of changes) {
      const array: unknown[] = ['a', 'b']
      const [joined, really] = before(array, () => change(array), ';')
      expect(joined).toBe(really)
    }
  })

  it('uses the separator of the call', () => {
    const array = ['a', 'b']
    for (const separator of [';', ';', ';', ',', undefined, undefined, undefined, ''])
      expect(array.join(separator)).toBe(realJoin.call(array, separator))
  })

  it('converts elements that are not strings every time', () => {
    let asked = 0
    const array = [{ toString: () => String(++asked) }]
    expect([1, 2, 3, 4].map(() => array.join())).toEqual(['1', '2', '3', '4'])
    const proxy = new Proxy(['a'], {
      get: (array, name) => (name === '0' ? String(++asked) : Reflect.get(array, name)),
    })
    expect([5, 6, 7, 8].map(() => proxy.join())).toEqual(['5', '6', '7', '8'])
  })

  it('accepts anything with a length, and rejects null and undefined', () => {
    const arrayLike = { length: 2, 0: 'a', 1: 'b' }
    for (let time = 0; time < 3; time++) expect(Array.prototype.join.call(arrayLike, '-')).toBe('a-b')
    expect(() => Array.prototype.join.call(undefined as never)).toThrow(TypeError)
    expect(String([1, [2, 3]])).toBe('1,2,3')
  })

  it('uses a function with the name, length and attributes of the original', () => {
    const { value, ...how } = Object.getOwnPropertyDescriptor(Array.prototype, 'join')!
    expect(how).toEqual({ writable: true, enumerable: false, configurable: true })
    expect([value.name, value.length]).toEqual(['join', realJoin.length])
    expect('prototype' in value).toBe(false)
  })
})
