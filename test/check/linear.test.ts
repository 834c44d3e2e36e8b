import { describe, expect, it } from 'vitest'
import { invariants, judge } from '../../src/check/index.ts'
import type { History, HistoryEvent } from '../../src/contract/api/history.ts'
import type { InvariantName } from '../../src/contract/api/verdict.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'

const names = Object.keys(invariants) as InvariantName[]

/** Every message is deferred once, loses a consumer, and is done by another one. */
function historyOf(messages: number): HistoryBuilder {
  const run = aRun()
  for (let at = 1; at <= messages; at++) {
    const [id, key] = [`m${at}`, `k${at}`]
    const [first, second, third] = [at * 3, at * 3 + 1, at * 3 + 2]
    run.at(at).publish(id, { key }).deliver(first, id, 'consumer-1').answer(first, { status: 'retry' })
    run.deliver(second, id, `consumer-${at}a`).send(at, second, { unknownDelivery: true }).crash(`consumer-${at}a`)
    run.deliver(third, id, `consumer-${at}b`).apply(at).settle(id, 'dead-lettered', 'in doubt')
  }
  return run.rest()
}

/** How often events are accessed. */
function looksInto(history: History, work: (history: History) => unknown): number {
  let looks = 0
  const watch = (event: HistoryEvent) =>
    new Proxy(event, {
      get(target, name) {
        looks++
        return Reflect.get(target, name)
      },
    })
  work({ header: history.header, events: history.events.map(watch) })
  return looks
}

describe('judging', () => {
  it('takes at most eleven times the work for ten times the messages', () => {
    const [few, many] = [50, 500].map((messages) => looksInto(historyOf(messages), (history) => judge(history, names)))
    expect(many! / few!).toBeLessThan(11)
  })

  it('would be detected if it searched all messages for each message', () => {
    const quadratic = ({ events }: History) =>
      events.map(({ type }) => (type === 'published' ? events.filter((other) => other.type === type) : []))
    const [few, many] = [50, 500].map((messages) => looksInto(historyOf(messages), quadratic))
    expect(many! / few!).toBeGreaterThan(50)
  })
})
