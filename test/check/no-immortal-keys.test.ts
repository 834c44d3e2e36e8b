import { describe, expect, test } from 'vitest'
import { noImmortalKeys } from '../../src/check/no-immortal-keys.ts'
import { standsAlone } from '../../src/check/stands-alone.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof noImmortalKeys.judge>[0]) => kinds(noImmortalKeys.judge(history))

function counted(keys: number, withoutExpiry: number, namesWithoutExpiry?: readonly string[]) {
  const history = aRun()
  for (let n = 1; n <= keys; n++) history.publish(`m${n}`, { key: `k${n}` })
  const names = namesWithoutExpiry === undefined ? {} : { namesWithoutExpiry }
  return history.add({ type: 'keys-counted', keys: 10, withoutExpiry, ...names })
}

describe('no-immortal-keys', () => {
  test('none, or a constant one, is valid', () => {
    expect(kindsOf(counted(4, 0).rest())).toBe('valid')
    expect(kindsOf(counted(4, 1, ['statistics']).rest())).toBe('valid')
  })

  test('named-after-a-message: a single one is enough, by key or by id', () => {
    expect(kindsOf(counted(4, 1, ['lock:k3']).rest())).toEqual(['named-after-a-message'])
    expect(kindsOf(counted(4, 1, ['seen:m3']).rest())).toEqual(['named-after-a-message'])
  })

  test('as-many-as-keys: names that say nothing, but a number that says it', () => {
    expect(kindsOf(counted(4, 4, ['a1', 'b2', 'c3', 'd4']).rest())).toEqual(['as-many-as-keys'])
  })

  test('what was there before any message is not counted, by its name', () => {
    const names = ['b1', 'b2', 'b3', 'b4']
    const after = (namesWithoutExpiry: readonly string[], namesDeployed: readonly string[]) => {
      const history = counted(3, 0)
      const withoutExpiry = namesWithoutExpiry.length
      return history.add({ type: 'keys-counted', keys: 9, withoutExpiry, namesWithoutExpiry, namesDeployed }).rest()
    }
    expect(kindsOf(after(names, names))).toBe('valid')
    expect(kindsOf(after([...names, 'statistics'], names))).toBe('valid')
    expect(kindsOf(after([...names, 'a', 'b'], names))).toBe('unknown')
    expect(kindsOf(after([...names, 'lock:k2'], names))).toEqual(['named-after-a-message'])
    expect(kindsOf(after(names, ['c1', 'c2', 'c3', 'c4']))).toBe('unknown')
  })

  test('a number that may be chance is unknown', () => {
    expect(kindsOf(counted(3, 3).rest())).toBe('unknown')
    expect(kindsOf(counted(4, 3).rest())).toBe('unknown')
  })

  test('a run without a count, or without its end, is unknown', () => {
    expect(kindsOf(aRun().publish('m1').rest())).toBe('unknown')
    expect(kindsOf(counted(4, 4).breakOff())).toBe('unknown')
  })
})

describe('a name made of another', () => {
  test.each([
    ['k1', 'lock:k1', true],
    ['k1', 'k1', true],
    ['k1', 'k10 k1', true],
    ['k1', 'lock:k10', false],
    ['a', 'stats', false],
    ['', 'lock', false],
  ])('%j in %j: %s', (part, text, expected) => {
    expect(standsAlone(part, text)).toBe(expected)
  })
})
