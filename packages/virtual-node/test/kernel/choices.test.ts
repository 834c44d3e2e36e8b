import { describe, expect, it } from 'vitest'
import { Choices } from '../../src/kernel/choices.ts'

const draws = (choices: Choices, stream: string, count: number, n = 1000) =>
  Array.from({ length: count }, () => choices.stream(stream).choose('latency', n))

describe('choices', () => {
  it('are the same for the same seed, and differ for another seed', () => {
    expect(draws(new Choices({ seed: 7 }), 'link', 20)).toEqual(draws(new Choices({ seed: 7 }), 'link', 20))
    expect(draws(new Choices({ seed: 8 }), 'link', 20)).not.toEqual(draws(new Choices({ seed: 7 }), 'link', 20))
  })

  it('do not depend on draws from another stream', () => {
    const calm = draws(new Choices({ seed: 7 }), 'consumer-2~redis>', 20)
    const busy = new Choices({ seed: 7 })
    draws(busy, 'consumer-1~redis>', 13)
    const mixed = calm.map(() => {
      draws(busy, 'consumer-1~redis>', 1)
      return draws(busy, 'consumer-2~redis>', 1)[0]
    })
    expect(mixed).toEqual(calm)
  })

  it('come from the seed of their stream if the stream has its own seed', () => {
    const mixed = new Choices({ seed: 7, own: { broker: 8 } })
    expect(draws(mixed, 'broker', 20)).toEqual(draws(new Choices({ seed: 8 }), 'broker', 20))
    expect(draws(mixed, 'broker', 20)).not.toEqual(draws(new Choices({ seed: 7 }), 'broker', 20))
    expect(draws(mixed, 'link', 20)).toEqual(draws(new Choices({ seed: 7 }), 'link', 20))
  })

  it('depend on earlier draws from the same stream', () => {
    const choices = new Choices({ seed: 7 })
    draws(choices, 'link', 1)
    expect(draws(choices, 'link', 20)).not.toEqual(draws(new Choices({ seed: 7 }), 'link', 20))
  })

  it('cover the whole range evenly, over seeds and over draws', () => {
    const overSeeds = Array.from({ length: 8000 }, (_, seed) => draws(new Choices({ seed }), 'link', 1, 8)[0]!)
    const overDraws = draws(new Choices({ seed: 1 }), 'link', 8000, 8)
    for (const drawn of [overSeeds, overDraws])
      for (let value = 0; value < 8; value++) {
        const share = drawn.filter((one) => one === value).length / drawn.length
        expect(share).toBeGreaterThan(0.11)
        expect(share).toBeLessThan(0.14)
      }
  })

  it('are reported to an observer, and are in the digest', () => {
    const reported: unknown[] = []
    const [a, b] = [new Choices({ seed: 7 }), new Choices({ seed: 7 })]
    a.observe = (choice) => reported.push(choice)
    const chosen = draws(a, 'link', 2)
    expect(reported).toEqual(
      chosen.map((one) => ({ stream: 'link', what: 'latency', about: null, n: 1000, chosen: one })),
    )
    expect(a.digest.hex()).not.toBe(b.digest.hex())
    draws(b, 'link', 2)
    expect(a.digest.hex()).toBe(b.digest.hex())
  })
})

describe('a random number', () => {
  const idsOf = (source: ConstructorParameters<typeof Choices>[0]) => {
    const stream = new Choices(source).stream('redis')
    return [1, 2].map(() => stream.random('server', 2 ** 30))
  }

  it('varies even in a calm stream: a restarted server gets another id', () => {
    const [first, second] = idsOf({ seed: 3, own: { redis: [] }, calm: true })
    expect(first).not.toBe(second)
    expect(idsOf({ seed: 3, own: {}, calm: true })).toEqual([first, second])
  })

  it('does not come from the list of choices of its stream', () => {
    const stream = new Choices({ seed: 3, own: { redis: [5] }, calm: true }).stream('redis')
    stream.random('server', 2 ** 30)
    expect([stream.choose('latency', 9), stream.choose('latency', 9)]).toEqual([5, 0])
  })

  it('is in the trail, which depends on the stream, the kind of choice and the command', () => {
    const trail = ([stream, what, about]: readonly [string, string, string | null]) => {
      const choices = new Choices({ seed: 7, calm: true })
      for (let time = 0; time < 20; time++) choices.stream(stream).choose(what, 10, about)
      return choices.trail.text
    }
    const names = [
      ['consumer-1~redis>', 'latency', 'GET'],
      ['consumer-2~redis>', 'latency', 'GET'],
      ['consumer-1~redis>', 'segment', 'GET'],
      ['consumer-1~redis>', 'latency', 'SET'],
      ['consumer-1~redis>', 'latency', null],
    ] as const
    expect(new Set(names.map(trail)).size).toBe(names.length)
    expect(names.map(trail)).toEqual(names.map(trail))
  })
})
