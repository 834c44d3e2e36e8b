/** The order of messages on a link that faults change. Time is made up. */
import { describe, expect, it } from 'vitest'
import { BrokerLink } from '../../../src/live/host/broker-link.ts'

function lab() {
  let nowMs = 0
  let due: { readonly atMs: number; readonly work: () => void }[] = []
  const after = (delayMs: number, work: () => void) => {
    const one = { atMs: nowMs + delayMs, work }
    due.push(one)
    return () => void (due = due.filter((other) => other !== one))
  }
  const arrived: string[] = []
  const link = new BrokerLink(() => nowMs, after)
  return {
    link,
    arrived,
    send: (name: string) => link.carry('to-node', () => arrived.push(`${name} at ${nowMs}`)),
    pass(ms: number) {
      for (const until = nowMs + ms; ; ) {
        const next = due.sort((a, b) => a.atMs - b.atMs).find(({ atMs }) => atMs <= until)
        nowMs = next?.atMs ?? until
        if (next === undefined) return
        due = due.filter((one) => one !== next)
        next.work()
      }
    },
  }
}

describe('a link to the broker', () => {
  it('delivers at once', () => {
    const { send, arrived } = lab()
    send('a')
    expect(arrived).toEqual(['a at 0'])
  })

  it('keeps the order when it becomes fast again', async () => {
    const { link, send, pass, arrived } = lab()
    await link.slow(100)
    send('a')
    pass(10)
    await link.slow(-100)
    send('b')
    expect(arrived).toEqual(['a at 10', 'b at 10'])
  })

  it('delays each message while it is slow', async () => {
    const { link, send, pass, arrived } = lab()
    await link.slow(100)
    send('a')
    pass(30)
    send('b')
    pass(200)
    expect(arrived).toEqual(['a at 100', 'b at 130'])
  })

  it('holds back messages on their way while it is blocked, and delivers them in order', async () => {
    const { link, send, pass, arrived } = lab()
    await link.slow(100)
    send('a')
    await link.block('to-node')
    send('b')
    pass(300)
    expect(arrived).toEqual([])
    await link.unblock('to-node')
    expect(arrived).toEqual(['a at 300', 'b at 300'])
  })

  it('delivers in the other direction while it is blocked', async () => {
    const { link, arrived } = lab()
    await link.block('to-node')
    link.carry('to-process', () => arrived.push('there'))
    expect(arrived).toEqual(['there'])
  })
})
