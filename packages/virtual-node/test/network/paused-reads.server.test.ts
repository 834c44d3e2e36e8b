/**
 * Compares how a process reads many bytes that arrived while it was stopped, and how it handles
 * half-closed connections. Real processes that are stopped by SIGSTOP are the reference.
 */
import { describe, expect, it } from 'vitest'
import { expectAlike, fin, rst, type Step, sends } from './stopped-process.ts'

const much = (length: number) => sends('x'.repeat(length))

describe('a process that was stopped', () => {
  it.concurrent.each<[string, Step[]]>([
    ['exactly one read, and FIN', [much(65_536), fin()]],
    ['exactly one read, and RST', [much(65_536), rst()]],
    ['more than one read, and FIN', [much(70_000), fin()]],
    ['more than one read, and RST', [much(70_000), rst()]],
    ['more than one read, in two parts', [much(40_000), much(30_000), fin()]],
  ])('reads 65,536 bytes at a time, all of them in one round: %s', async (_what, steps) => {
    expect(await expectAlike('reads much', { steps })).toContain('data of 65536 bytes')
  })

  const ends: [string, Step[]][] = [
    ['data and FIN', [sends('one'), fin()]],
    ['data and RST', [sends('one'), rst()]],
    ['data, FIN and RST', [sends('one'), fin(), rst()]],
    ['FIN', [fin()]],
    ['RST', [rst()]],
  ]
  const halfClosed = ['ends early', 'ends early, and is stopped in a timer', 'ends without a word as it stops']
  it.concurrent.each(halfClosed.flatMap((name) => ends.map(([what, steps]) => [name, what, steps] as const)))(
    'receives the end in the same round as data if it %s: %s',
    async (name, _what, steps) => {
      await expectAlike(name, { steps }, ['by a process'])
    },
  )

  it.concurrent.each(ends.filter(([what]) => what.includes('RST')))(
    'observes its own end before the end of its peer if it ends first: %s',
    async (_what, steps) => {
      const said = await expectAlike('ends without a word by a timer', { steps })
      expect(said.slice(2, 5)).toEqual(['timer', 'another timer', 'finish'])
    },
  )

  const halfOpen = ['ends by a timer, half-open', 'ends by a timer, half-open, and is stopped in one']
  it.concurrent.each(halfOpen.flatMap((name) => ends.map(([what, steps]) => [name, what, steps] as const)))(
    'handles the end of its peer as in Node if it %s: %s',
    async (name, _what, steps) => {
      await expectAlike(name, { steps }, ['by a process'])
    },
  )

  it.concurrent.each(ends.filter(([what]) => what.endsWith('and RST')))(
    'gets only the error of its write if it writes after the end, half-open: %s',
    async (_what, steps) => {
      const said = await expectAlike('writes after the end, half-open', { steps })
      expect(said.at(-1)).toBe('close true')
      expect(said.join()).not.toContain('read')
    },
  )
})
