import { describe, expect, it } from 'vitest'
import { otherwise, subjectOf } from '../../../src/campaign/explain/choice-words.ts'

const latency = (stream: string, about: string | null = null) => ({ stream, what: 'latency', about })

describe('a choice in words', () => {
  it.each([
    [latency('consumer-2~redis>', 'SET'), "consumer-2's SET"],
    [latency('consumer-2~redis<', 'EVALSHA extend'), "the reply to consumer-2's EVALSHA extend"],
    [latency('consumer-1~redis-3<', 'GET'), "the reply to consumer-1's GET (redis-3)"],
    [latency('consumer-1~redis>'), 'the data from consumer-1 on its connection to redis'],
    [latency('consumer-1~redis<', 'handshake'), 'the handshake to consumer-1 on its connection to redis'],
    [latency('consumer-1~broker>'), 'the answer of consumer-1'],
    [latency('consumer-1~broker<'), 'the delivery to consumer-1'],
    [latency('consumer-12~sink>'), "consumer-12's request to the sink"],
    [latency('consumer-12~sink<'), "the sink's answer to consumer-12"],
    [{ stream: 'broker', what: 'consumer', about: null }, "the broker's choice of consumer"],
    [
      { stream: 'resume:consumer-2', what: 'sockets before timers', about: null },
      'the order in which consumer-2 resumes',
    ],
    [{ stream: 'poison', what: 'kills after', about: null }, 'kills after of poison'],
  ])('%j is %s', (choice, words) => {
    expect(subjectOf(choice)).toBe(words)
  })

  it('contrasts the drawn latency with the other one, with enough digits to tell them apart', () => {
    const reply = latency('consumer-2~redis<', 'GET')
    expect(otherwise({ ...reply, chosen: 0 }, 1_015)).toBe(
      "the reply to consumer-2's GET takes 26.8 ms instead of 0.1 ms",
    )
    expect(otherwise({ ...reply, chosen: 60 }, 20)).toBe("the reply to consumer-2's GET takes 170 µs instead of 210 µs")
  })

  it('uses the number if it is not a latency', () => {
    const choice = { stream: 'broker', what: 'consumer', about: null, chosen: 2 }
    expect(otherwise(choice, 0)).toBe("the broker's choice of consumer is 0 instead of 2")
  })

  it('describes what a resumed process does first', () => {
    const choice = { stream: 'resume:consumer-1.2', what: 'sockets before timers', about: null, chosen: 1 }
    expect(otherwise(choice, 0)).toBe('consumer-1.2 runs its timers before it reads its sockets when it resumes')
    expect(otherwise({ ...choice, chosen: 0 }, 1)).toBe(
      'consumer-1.2 reads its sockets before it runs its timers when it resumes',
    )
  })
})
