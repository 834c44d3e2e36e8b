import { describe, expect, it } from 'vitest'
import { answerOf, Watch } from '../../bench/commands/first-answer.ts'
import { childrenMs } from '../../bench/commands/run-command.ts'
import { onlyShared } from '../../bench/commands/shared-names.ts'
import { endsShrunkStory, isProgress, printsViolation } from '../../bench/commands/what-it-prints.ts'

const token = 'op2_eJxVUEtuwzAM'

describe('a line of `sim`', () => {
  it('has a violation if it has a token, even in colors', () => {
    expect(printsViolation(`\u001b[31mat-most-once\u001b[39m broke in lost-reply: ${token}`)).toBe(true)
    expect(printsViolation('pass  reference × lost-reply, plain sink  250 runs')).toBe(false)
  })

  it('ends a shrunk story if it is the replay command', () => {
    expect(endsShrunkStory(`replay: pnpm sim replay ${token}`)).toBe(true)
    expect(endsShrunkStory(`at-most-once broke in lost-reply: ${token}`)).toBe(false)
  })

  it('is progress if it starts with an ellipsis', () => {
    expect(isProgress('… 1.5 s  000-lua-acquire × lost-reply: 50 of 250 runs')).toBe(true)
    expect(isProgress('seed 1')).toBe(false)
  })
})

describe('a first answer', () => {
  const watched = (lines: readonly (readonly [string, number])[]) => {
    const watch = new Watch()
    for (const [text, atMs] of lines) watch.line(text, atMs)
    return watch
  }
  const costs = { wallMs: 20_000, cpuMs: 30_000, exitCode: 1 }

  it('is the first of its kind, without counting progress lines', () => {
    const watch = watched([
      ['… 1.5 s  loading', 1500],
      [`at-most-once broke: ${token}`, 3000],
      [`replay: pnpm sim replay ${token}`, 6000],
      [`replay: pnpm sim replay ${token}`, 9000],
    ])
    expect(answerOf('000-lua-acquire', watch, costs)).toEqual({
      layer: '000-lua-acquire',
      violationSeconds: 3,
      storySeconds: 6,
      wholeSeconds: 20,
      cpuSeconds: 30,
      lines: 3,
      exitCode: 1,
      missed: [],
    })
  })

  it('misses each target that it exceeds, and each target without an answer', () => {
    const late = watched([[`at-most-once broke: ${token}`, 5001]])
    expect(answerOf('x', late, { ...costs, wallMs: 31_000 }).missed).toEqual([
      'violationSeconds',
      'storySeconds',
      'wholeSeconds',
    ])
  })

  it('misses no target for a layer that holds', () => {
    expect(answerOf('x', watched([['pass', 10]]), { ...costs, exitCode: 0 }).missed).toEqual([])
  })
})

describe('the common part of two checkouts', () => {
  const here = { scenarios: ['b', 'a', 'new'], implementations: ['reference', 'later'], canaries: ['one'] }
  const other = { scenarios: ['a', 'b', 'gone'], implementations: ['reference'], canaries: [] }

  it('is all that a command may play', () => {
    expect(onlyShared(['scenarios', 'implementations'], here, other)).toEqual([
      ...['--scenario', 'b', '--scenario', 'a'],
      ...['--impl', 'reference'],
    ])
    expect(() => onlyShared(['canaries'], here, other)).toThrow('no canaries in common')
    expect(onlyShared(['scenarios'], here, here)).toEqual(['--scenario', 'b', '--scenario', 'a', '--scenario', 'new'])
  })
})

describe('the CPU time of a command', () => {
  it('is the user and system time of the children that the shell prints', () => {
    expect(childrenMs('0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n')).toBe(62_750)
  })

  it('is refused if the shell prints something else', () => {
    expect(() => childrenMs('nothing')).toThrow('cannot be read')
  })
})
