import { describe, expect, it } from 'vitest'
import { Choices } from '../../src/kernel/choices.ts'
import { EventQueue } from '../../src/kernel/event-queue.ts'
import { Kernel, type Turns } from '../../src/kernel/kernel.ts'

const plain: Turns<string> = { take: (_owner, event) => event.callback?.(), outside: () => null }
const newKernel = (turns = plain) => new Kernel<string>(new Choices({ seed: 1 }), turns)
const plenty = { timeUs: 1_000_000, events: 1000 }
const never = () => false

describe('the event queue', () => {
  it('returns events by time, and in the order of scheduling at one time', () => {
    const queue = new EventQueue<null>()
    const times = [5, 3, 9, 3, 1, 5, 5, 0, 9, 3]
    for (const [seq, atUs] of times.entries()) queue.push({ atUs, seq, owner: null, callback: null, timerMs: null })
    const expected = times.map((atUs, seq) => ({ atUs, seq })).sort((a, b) => a.atUs - b.atUs || a.seq - b.seq)
    const popped = times.map(() => queue.pop()!).map(({ atUs, seq }) => ({ atUs, seq }))
    expect(popped).toEqual(expected)
    expect(queue.pop()).toBeUndefined()
  })
})

describe('the kernel', () => {
  it('runs event after event, and advances its time', () => {
    const kernel = newKernel()
    const log: string[] = []
    const note = (what: string) => () => log.push(`${what} ${kernel.nowUs}`)
    kernel.schedule(20, null, note('b'))
    kernel.schedule(10, null, () => {
      note('a')()
      kernel.schedule(0, null, note('a2'))
      kernel.schedule(10, null, note('b2'))
    })
    expect(kernel.run(never, plenty)).toBe('rest')
    expect(log).toEqual(['a 10', 'a2 10', 'b 20', 'b2 20'])
  })

  it('skips canceled events without counting them', () => {
    const kernel = newKernel()
    const event = kernel.schedule(10, null, () => expect.unreachable())
    kernel.cancel(event)
    expect(kernel.run(never, plenty)).toBe('rest')
    expect(kernel.turns).toBe(0)
  })

  it('stops as soon as its stop condition is true', () => {
    const kernel = newKernel()
    kernel.schedule(1, null, () => {})
    kernel.schedule(2, null, () => expect.unreachable())
    expect(kernel.run(() => kernel.turns === 1, plenty)).toBe('rest')
  })

  it('stops a livelock when its event budget is spent', () => {
    const kernel = newKernel()
    const again = () => void kernel.schedule(0, null, again)
    again()
    expect(kernel.run(never, plenty)).toBe('events')
    expect(kernel.nowUs).toBe(0)
  })

  it('stops when its time budget is spent, unless it has finished by then', () => {
    const busy = newKernel()
    busy.schedule(plenty.timeUs + 1, null, () => expect.unreachable())
    expect(busy.run(never, plenty)).toBe('time')
    const quiet = newKernel()
    quiet.schedule(plenty.timeUs + 1, null, () => expect.unreachable())
    expect(quiet.run(() => quiet.nowUs > 1000, plenty)).toBe('rest')
  })

  it('passes an event with an owner to the runner, and runs an event without an owner itself', () => {
    const taken: string[] = []
    const kernel = newKernel({ take: (owner) => void taken.push(owner), outside: () => null })
    kernel.schedule(1, 'a', () => expect.unreachable())
    kernel.schedule(2, null, () => kernel.turn('b', () => {}))
    kernel.run(never, plenty)
    expect(taken).toEqual(['a', 'b'])
  })

  it('waits for outside work without passing virtual time', async () => {
    let work: ((goOn: () => void) => void) | null = null
    const kernel = newKernel({ ...plain, outside: () => work })
    const log: string[] = []
    kernel.schedule(5, 'a', () => {
      work = (goOn) => {
        log.push(`work at ${kernel.nowUs}`)
        work = null
        setImmediate(goOn)
      }
    })
    kernel.schedule(6, 'a', () => log.push(`next at ${kernel.nowUs}`))
    const how = kernel.run(never, plenty)
    expect(how).toBeInstanceOf(Promise)
    expect(await how).toBe('rest')
    expect(log).toEqual(['work at 5', 'next at 6'])
  })

  it('rethrows errors of an event without an owner', async () => {
    const kernel = newKernel()
    kernel.schedule(1, null, () => {
      throw new Error('a bug of the world')
    })
    expect(() => kernel.run(never, plenty)).toThrow('a bug of the world')
  })
})
