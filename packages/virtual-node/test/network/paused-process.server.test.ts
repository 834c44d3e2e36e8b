/**
 * Compares what a process observes if it was paused while bytes arrived, with real processes that
 * SIGSTOP stops as the reference.
 */
import { describe, expect, it } from 'vitest'
import { expectAlike, fin, inRealNode, inTheSimulator, rst, type Step, sends } from './stopped-process.ts'

const replies = [sends('one'), sends('two')]
const ends: [string, Step[]][] = [
  ['FIN', [fin()]],
  ['RST', [rst()]],
  ['FIN and RST', [fin(), rst()]],
]

describe('a process that was stopped', () => {
  const reading = ['reads', 'writes at once', 'writes in a microtask', 'writes a little later', 'destroys']
  const cases = ends.flatMap(([end, steps]) => reading.map((name) => [end, name, steps] as const))
  it.concurrent.each(cases)('reads everything before %s at once if its program %s', async (_end, name, end) => {
    expect(await expectAlike(name, { steps: [...replies, ...end] })).toContain('data onetwo')
  })

  it.concurrent.each(ends)('receives %s even if it has not yet learned that it is connected', async (_end, end) => {
    await expectAlike('has not looked', { steps: [...replies, ...end] })
  })

  it.concurrent.each(ends)(
    'runs a due timer before it reads, but after it reads if it was stopped in the turn of a timer (end: %s)',
    async (_end, end) => {
      const steps = [...replies, ...end]
      expect((await expectAlike('writes by a timer', { steps }))[1]).toBe('timer')
      expect((await expectAlike('writes by a timer, and is stopped in one', { steps }))[1]).toBe('data onetwo')
    },
  )

  it.concurrent('runs all due timers, grouped by delay, before or after it reads, and immediates after both', async () => {
    const timersFirst = await expectAlike('has timers', { steps: replies })
    expect(timersFirst.indexOf('data onetwo')).toBeGreaterThan(timersFirst.indexOf('timer of 300 ms'))
    expect(timersFirst.indexOf('data onetwo')).toBeLessThan(timersFirst.indexOf('its immediate'))
    const socketsFirst = await expectAlike('has timers, and is stopped in one', { steps: replies })
    expect(socketsFirst[0]).toBe('data onetwo')
  })

  it.concurrent.each([
    'writes, and destroys its socket',
    'writes, and resets its connection',
    'writes, ends, and destroys its socket',
  ])('sends what it has written if the rest of its turn %s', async (rest) => {
    const name = `is stopped, ${rest}`
    expect(await expectAlike(name, { steps: [] })).toContain('close false')
    const { heard } = await inTheSimulator(name, { steps: [] })
    expect(heard).toBe('last words')
  })

  it('fails the comparison if its order differs', async () => {
    const steps = [...replies, rst()]
    const other = await inTheSimulator('writes by a timer, and is stopped in one', { steps })
    expect(other.said).not.toEqual((await inRealNode('writes by a timer', { steps })).said)
  })
})
