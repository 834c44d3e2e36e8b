import { describe, expect, it } from 'vitest'
import { Choices } from '../../src/kernel/choices.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { Direction } from '../../src/network/link.ts'
import { Pipe } from '../../src/network/pipe.ts'

const plenty = { timeUs: 1e9, events: 1e6 }

function newPipe(seed = 1) {
  const kernel = new Kernel<string>(new Choices({ seed }), { take: () => {}, outside: () => null })
  const direction = new Direction(kernel.choices.stream('link'))
  const arrivals: { content: number; atUs: number }[] = []
  const pipe = new Pipe<number, string>(kernel, direction, (content) => arrivals.push({ content, atUs: kernel.nowUs }))
  return {
    kernel,
    direction,
    pipe,
    arrivals,
    at: (us: number, work: () => void) => kernel.schedule(us, null, work),
    run: () => kernel.run(() => false, plenty),
    contents: () => arrivals.map(({ content }) => content),
  }
}

const inOrder = Array.from({ length: 40 }, (_, index) => index)

describe('a flow', () => {
  it('arrives in the order of sending, each parcel with its own latency', () => {
    const { pipe, run, contents, arrivals } = newPipe()
    for (const number of inOrder) pipe.send(number)
    run()
    expect(contents()).toEqual(inOrder)
    expect(new Set(arrivals.map(({ atUs }) => atUs)).size).toBeGreaterThan(1)
    expect(Math.min(...arrivals.map(({ atUs }) => atUs))).toBeGreaterThan(0)
  })

  it('is held by a partition, and arrives in order after the partition has healed', () => {
    const { direction, pipe, at, run, contents, arrivals } = newPipe()
    direction.block()
    for (const number of inOrder) pipe.send(number)
    at(500_000, () => direction.unblock())
    run()
    expect(contents()).toEqual(inOrder)
    expect(arrivals[0]!.atUs).toBeGreaterThan(500_000)
  })

  it('keeps its order through a partition of any length at any time', () => {
    for (let seed = 0; seed < 300; seed++) {
      const { kernel, direction, pipe, at, run, contents } = newPipe(seed)
      const times = kernel.choices.stream('test')
      for (const number of inOrder) at(number * 300, () => pipe.send(number))
      for (let partition = 0; partition < 3; partition++) {
        const from = times.choose('from', 14_000)
        at(from, () => direction.block())
        at(from + times.choose('length', 3000), () => direction.unblock())
      }
      run()
      expect(contents(), `seed ${seed}`).toEqual(inOrder)
    }
  })

  it('delivers nothing during a partition', () => {
    const { direction, pipe, at, run, contents } = newPipe()
    pipe.send(1)
    at(1, () => direction.block())
    run()
    expect(contents()).toEqual([])
    expect(pipe.holds).toBe(true)
    expect(pipe.underway).toEqual([1])
  })

  it('is delayed by the extra time of its direction', () => {
    const [calm, slow] = [newPipe(), newPipe()]
    slow.direction.extraUs = 7000
    for (const { pipe, run } of [calm, slow]) {
      pipe.send(1)
      run()
    }
    expect(slow.arrivals[0]!.atUs).toBe(calm.arrivals[0]!.atUs + 7000)
  })

  it('can be cut: only the first parcels arrive', () => {
    const { pipe, run, contents } = newPipe()
    for (const number of inOrder) pipe.send(number)
    expect(pipe.cut(3)).toEqual(inOrder.slice(3))
    run()
    expect(contents()).toEqual([0, 1, 2])
  })

  it('delivers nothing after it is closed, even when a partition heals', () => {
    const { direction, pipe, at, run, contents } = newPipe()
    pipe.send(1)
    direction.block()
    pipe.send(2)
    at(10, () => pipe.close())
    at(20, () => direction.unblock())
    run()
    expect(contents()).toEqual([])
    expect(direction.pipes.size).toBe(0)
  })
})
