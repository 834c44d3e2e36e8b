/** Breaks each assumption of the kernel by hand, and checks that the assertion fires. */
import { describe, expect, it } from 'vitest'
import { assert, BrokenAssumption, takeBroken } from '../../src/assert.ts'
import { Choices } from '../../src/kernel/choices.ts'
import { Digest } from '../../src/kernel/digest.ts'
import { EventQueue, type QueuedEvent } from '../../src/kernel/event-queue.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { MachineClock } from '../../src/kernel/machine-clock.ts'

const newKernel = () =>
  new Kernel<string>(new Choices({ seed: 1 }), { take: (_owner, event) => event.callback?.(), outside: () => null })
const plenty = { timeUs: 1_000_000, events: 1000 }

function moveTo(event: QueuedEvent<string>, atUs: number): void {
  Object.assign(event, { atUs })
}

it('the first broken assumption is kept until takeBroken() returns it', () => {
  takeBroken()
  expect(() => assert(true, 'it holds')).not.toThrow()
  expect(() => assert(false, 'one is one')).toThrow(new BrokenAssumption('broken assumption: one is one'))
  expect(() => assert(false, 'two is two')).toThrow(BrokenAssumption)
  expect(takeBroken()?.message).toBe('broken assumption: one is one')
  expect(takeBroken()).toBeNull()
})

describe('the kernel throws', () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('when an event is scheduled after %s us', (delayUs) => {
    expect(() => newKernel().schedule(delayUs, null, () => {})).toThrow(BrokenAssumption)
  })

  it('when the next event is in the past', () => {
    const kernel = newKernel()
    kernel.schedule(5, null, () => moveTo(later, 1))
    const later = kernel.schedule(10, null, () => {})
    expect(() => kernel.run(() => false, plenty)).toThrow('virtual time never goes back')
  })

  it('when the queue is out of order', () => {
    const queue = new EventQueue<string>()
    const [a, b, c] = [1, 2, 3].map((atUs, seq) => ({ atUs, seq, owner: null, callback: null, timerMs: null }))
    for (const event of [a!, b!, c!]) queue.push(event)
    moveTo(a!, 9)
    expect(() => queue.pop()).toThrow('the order of time and scheduling')
  })
})

describe('a stream of choices throws', () => {
  it.each([-1, 1.5, Number.NaN])('when a recorded choice is %s', (recorded) => {
    const stream = new Choices({ seed: 1, own: { link: [recorded] } }).stream('link')
    expect(() => stream.choose('latency', 3)).toThrow(BrokenAssumption)
  })

  it('when a choice has no options', () => {
    const stream = new Choices({ seed: 1 }).stream('link')
    expect(() => stream.choose('consumer', 0)).toThrow('within its range')
    expect(() => stream.random('id', 0)).toThrow('a range that is not empty')
  })
})

it.each([-1, 0.5, Number.NaN])('a digest rejects a time of %s us', (us) => {
  expect(() => new Digest().time(us)).toThrow(BrokenAssumption)
})

describe('a clock throws', () => {
  const newClock = (worldUs = () => 0) => new MachineClock(worldUs, 0)

  it('when it would run backwards, or step by less than a microsecond', () => {
    expect(() => newClock().drift(-1_000_000)).toThrow('goes forward')
    expect(() => newClock().step(0.5)).toThrow('whole microseconds')
  })

  it('when the time of the world goes back', () => {
    let nowUs = 10
    const clock = newClock(() => nowUs)
    clock.step(1)
    nowUs = 9
    expect(() => clock.monotonicUs()).toThrow('before its last change')
  })
})
