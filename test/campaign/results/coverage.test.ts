import { describe, expect, test } from 'vitest'
import { CoverageBook } from '../../../src/campaign/results/coverage.ts'
import { emptyTally, type Tally } from '../../../src/campaign/tally/tally.ts'

const tally = (changes: Partial<Tally>): Tally => ({ ...emptyTally(), ...changes })

function coverageOf(...tallies: Tally[]) {
  const book = new CoverageBook()
  for (const one of tallies) book.add('layer', one)
  return book.all()[0]!
}

describe('coverage of a layer', () => {
  test('adds up its scenarios: a point covered in one is covered', () => {
    const { cells } = coverageOf(
      tally({ cellsSeen: new Set(['answered, lease live', 'effect-unsent, lease live']) }),
      tally({ cells: new Set(['answered, lease live']), cellsSeen: new Set(['answered, lease live']) }),
    )
    expect(cells).toMatchObject({ covered: 1, total: 2, missed: ['effect-unsent, lease live'] })
  })

  test('explains why no run passed a crash point', () => {
    const { unreached } = coverageOf(tally({ cellsSeen: new Set(['command-executed GET, lease live']) })).cells
    const reasonOf = (cell: string) => unreached.find((one) => one.cell === cell)?.reason
    expect(reasonOf('command-executed GET, lease live')).toBeUndefined()
    expect(reasonOf('command-executed GET, lease expired')).toBe('no run reached it with an expired lease')
    expect(reasonOf('command-unsent GET, lease live')).toContain('shares its packet')
    expect(reasonOf('delivery-received, lease expired')).toContain('holds no lease')
    expect(reasonOf('acknowledged, lease live')).toBe('no run reached it')
  })

  test('names a script if another run saw its body', () => {
    const sha = `0123abcd${'0'.repeat(32)}`
    const script = { body: '-- take: a key\nreturn 1', executable: [2], executed: new Set([2]) }
    const { cells } = coverageOf(
      tally({ cells: new Set(['command-unsent EVALSHA 0123abcd, lease live']) }),
      tally({
        cellsSeen: new Set(['command-unsent EVALSHA take, lease live']),
        scripts: new Map([[sha, script]]),
      }),
    )
    expect(cells).toMatchObject({ covered: 1, total: 1 })
  })

  test('counts pairs of neighboring commands, and lists by kind those that no fault separated', () => {
    const { neighbours } = coverageOf(
      tally({ pairs: new Set(['GET → SET', 'SET → DEL', 'DEL → DEL']), separated: new Set(['pause: GET → SET']) }),
      tally({ separated: new Set(['crash: SET → ']) }),
    )
    expect(neighbours).toEqual({
      total: 3,
      separated: 2,
      missed: { crash: ['DEL → DEL', 'GET → SET'], pause: ['DEL → DEL', 'SET → DEL'] },
    })
    expect(coverageOf(tally({})).neighbours).toBeUndefined()
  })

  test('lists exactly the lines of scripts that no run executed', () => {
    const body = '-- take: a key\nif KEYS[1] then\n  return 1\nend\nreturn 2'
    const part = (...executed: number[]) =>
      tally({ scripts: new Map([['0'.repeat(40), { body, executable: [2, 3, 5], executed: new Set(executed) }]]) })
    expect(coverageOf(part(2), part(2, 3)).scripts).toEqual([
      { script: 'take', lines: 3, executed: 2, neverExecuted: [{ line: 5, text: 'return 2' }] },
    ])
    expect(coverageOf(part(2, 3), part(2, 5)).scripts[0]!.neverExecuted).toEqual([])
  })

  test('lists exactly the scripts of the layer that no run sent', () => {
    const script = (name: string, ...executed: number[]) => {
      return {
        body: `-- ${name}: a key\nreturn redis.call('GET', KEYS[1])`,
        executable: [2],
        executed: new Set(executed),
      }
    }
    const known = {
      scripts: new Map([
        ['a', script('take')],
        ['b', script('give')],
      ]),
    }
    const sent = { scripts: new Map([['a', script('take', 2)]]) }
    const both = coverageOf(tally(known), tally(sent))
    expect(both.scripts.map((one) => one.script)).toEqual(['take'])
    expect(both.neverSent).toEqual(['give'])
    expect(coverageOf(tally(sent)).neverSent).toEqual([])
  })

  test('separates the kinds of faults that struck from those that never did', () => {
    const { struck, never } = coverageOf(tally({ faults: new Map([['crash', 3]]) })).faults
    expect(struck).toEqual(['crash'])
    expect(never).toContain('pause')
    expect(never).not.toContain('crash')
  })
})
