import { describe, expect, it } from 'vitest'
import { LuaTable } from '../../src/lua/runtime/table.ts'
import { hashString } from '../../src/lua/runtime/table-hash.ts'
import type { LuaValue } from '../../src/lua/runtime/values.ts'

function keysOf(table: LuaTable): LuaValue[] {
  const keys: LuaValue[] = []
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) keys.push(table.keyAt(at))
  return keys
}

describe('a table', () => {
  it('agrees with a Map after any sequence of stores and removals', () => {
    const table = new LuaTable()
    const model = new Map<LuaValue, LuaValue>()
    let state = 12345
    const random = (n: number) => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      return (state >> 8) % n
    }
    for (let turn = 0; turn < 20_000; turn++) {
      const key = [random(40), `k${random(40)}`, -random(5), random(6) / 2, random(2) === 0][random(5)]!
      const value = random(3) === 0 ? undefined : turn
      table.set(key, value)
      if (value === undefined) model.delete(key)
      else model.set(key, value)
      expect(table.get(key)).toBe(value)
    }
    expect(new Set(keysOf(table))).toEqual(new Set(model.keys()))
    for (const [key, value] of model) expect(table.get(key)).toBe(value)
  })

  it('orders its keys by layout, not by insertion', () => {
    const table = new LuaTable()
    for (const key of ['a', 'b', 'c', 'd', 'e']) table.set(key, 1)
    expect(keysOf(table)).toEqual(['a', 'c', 'b', 'e', 'd'])
  })

  it('allows the removal of keys during a traversal', () => {
    const table = new LuaTable()
    for (let index = 0; index < 20; index++) table.set(`k${index}`, index)
    let seen = 0
    for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
      table.set(table.keyAt(at), undefined)
      seen++
    }
    expect(seen).toBe(20)
    expect(keysOf(table)).toEqual([])
  })

  it('treats -0 and 0 as one key', () => {
    const table = new LuaTable()
    table.set(-0, 'zero')
    expect(table.get(0)).toBe('zero')
  })
})

describe('hashes of strings', () => {
  it('use every byte of a short string, and skip some bytes of a long string', () => {
    expect(hashString('ab')).not.toBe(hashString('ac'))
    const long = 'x'.repeat(200)
    expect(hashString(`${long.slice(0, 2)}y${long.slice(3)}`)).toBe(hashString(long))
  })
})
