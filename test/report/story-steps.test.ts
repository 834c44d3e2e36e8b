/** What a story tells in one line, and what it leaves to the next one: each rule, and where it does not hold. */
import { describe, expect, it } from 'vitest'
import { tellStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

/** As of a violation that the last event shows. */
function storyOf(history: HistoryBuilder): string[] {
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
  return tellStory(history, violation).map((line) => line.trim())
}

const ask = (history: HistoryBuilder, process: string, reply = 'nil', command = 'GET idem:k1') =>
  history.add({ type: 'command', process, command, reply })

const begun = () => aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1').at(2)

describe('an attempt', () => {
  it('is one line where it asks and answers', () => {
    const history = ask(begun(), 'consumer-1').at(3).answer(1, { status: 'retry' }).at(4).settle('m1', 'given-up')
    expect(storyOf(history)[0]).toBe(
      '2.0 ms  m1, attempt 1: Redis executes GET idem:k1 for consumer-1: nil; consumer-1 answers retry',
    )
  })

  it('is told event by event where something befell its process between them', () => {
    const history = ask(begun().strike('pause', 'consumer-1 stops', 'consumer-1'), 'consumer-1').at(3)
    const story = storyOf(
      history.strike('pause', 'consumer-1 stops again', 'consumer-1').throw(1).settle('m1', 'parked'),
    )
    expect(story).toContain('1.0 ms  m1 is handed to consumer-1 (attempt 1)')
    expect(story).toContain('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil')
    expect(story).toContain('3.0 ms  consumer-1 throws over m1: TypeError: no')
  })

  it('is told event by event where its process is at work on the key twice', () => {
    const history = ask(begun().deliver(2, 'm1', 'consumer-1', 2), 'consumer-1')
      .at(3)
      .answer(1, { status: 'retry' })
    const story = storyOf(history.settle('m1', 'given-up'))
    expect(story).toContain('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil')
    expect(story).toContain('3.0 ms  consumer-1 answers retry for m1')
  })

  it('is one line although its process is at work on another key', () => {
    const history = begun().publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1')
    expect(storyOf(ask(history, 'consumer-1').settle('m1', 'given-up'))[0]).toContain('m1, attempt 1: Redis executes')
  })
})

it('attempts after the violation are not counted', () => {
  const history = aRun().publish('m1')
  for (let n = 1; n <= 9; n++)
    ask(history.at(10 * n).deliver(n, 'm1', 'consumer-1', n), 'consumer-1').answer(n, { status: 'retry' })
  const shown = history.events.find((event) => event.type === 'answered' && event.deliveryId === 5)!
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [shown.seq] }
  expect(tellStory(history, violation).join('\n')).toContain('3 more attempts are told the same')
})

describe('a call of the sink', () => {
  it('is told with what comes of it, or by itself where something came between them', () => {
    expect(storyOf(begun().send(1, 1).at(3).apply(1)).join('\n')).not.toContain('calls the sink')
    const between = begun().send(1, 1).at(3).strike('crash', 'consumer-1 is killed', 'consumer-1').at(4).apply(1)
    expect(storyOf(between)).toContain('2.0 ms  consumer-1 calls the sink for k1')
  })

  it('is told once with a count where many are alike, and by itself with another fence', () => {
    const history = begun()
    for (let request = 1; request <= 9; request++) {
      history.at(request + 2).send(request, 1)
      Object.assign(history.events.at(-1)!, { fence: request === 9 ? 2 : 1 })
    }
    const story = storyOf(history.at(20).settle('m1', 'given-up'))
    expect(story.filter((line) => line.includes('calls the sink'))).toHaveLength(2)
    expect(story).toContain('… 7 times more the same, with the same replies, until 10.0 ms')
  })

  it('has its error once where the attempt ends with it, and twice where the layer goes on', () => {
    const failed = (go: (history: HistoryBuilder) => void) => {
      const history = begun().send(1, 1).at(3)
      history.add({ type: 'effect-answered', requestId: 1, process: 'consumer-1', answer: 'error', error: 'Sink: 502' })
      go(history.at(4))
      return storyOf(history.throw(1, 'Sink: 502').settle('m1', 'given-up')).filter((line) => line.includes('502'))
    }
    expect(failed(() => {})).toEqual(['4.0 ms  consumer-1 throws over m1: Sink: 502'])
    expect(failed((history) => ask(history, 'consumer-1', '1', 'DEL idem:k1'))).toHaveLength(2)
  })

  it('needs no line for its receipt, but one for a refusal', () => {
    const heard = (answer: 'receipt' | 'refused') =>
      storyOf(begun().send(1, 1).apply(1).at(3).tellCaller(1, answer).settle('m1', 'given-up')).join('\n')
    expect(heard('receipt')).not.toContain('has the receipt')
    expect(heard('refused')).toContain('is refused by the sink')
  })
})

describe('the broker', () => {
  it('is told to publish where that is a further message of the key, a copy, or one that nobody got', () => {
    const published = (history: HistoryBuilder) =>
      storyOf(history.settle('m1', 'given-up')).filter((line) => /is published|hands in/.test(line))
    expect(published(begun())).toEqual([])
    expect(published(begun().publish('m2').deliver(2, 'm2', 'consumer-2'))).toHaveLength(1)
    expect(published(begun().publish('m1', { copy: true }))).toHaveLength(1)
    expect(published(aRun().publish('m1'))).toHaveLength(1)
  })

  it('is told to have waited long enough where it does not hand the message out again', () => {
    const waited = (history: HistoryBuilder) => storyOf(history.at(9).settle('m1', 'given-up')).join('\n')
    const late = () => begun().at(5).add({ type: 'delivery-timed-out', deliveryId: 1 })
    expect(waited(late())).toContain('has waited long enough')
    expect(waited(late().deliver(2, 'm1', 'consumer-2', 2))).not.toContain('has waited long enough')
  })
})

describe('what happens around it', () => {
  it('has no line for the end of a crash, which the next hand-over shows, but for that of a partition', () => {
    const healed = (fault: string) =>
      storyOf(begun().strike(fault).at(5).heal(fault).deliver(2, 'm1', 'consumer-1.2', 2).settle('m1', 'given-up'))
    expect(healed('crash').join('\n')).not.toContain('healed')
    expect(healed('partition').join('\n')).toContain('healed: partition heals')
  })

  it('has no line for roles of servers before there was anything to do', () => {
    const synced = (history: HistoryBuilder) =>
      history.add({ type: 'topology', node: 'redis-2', what: 'resynced', sentence: 'redis-2 drops its data' })
    expect(storyOf(synced(aRun().publish('m1')).deliver(1, 'm1', 'consumer-1')).join('\n')).not.toContain('drops')
    expect(storyOf(synced(begun()).settle('m1', 'given-up')).join('\n')).toContain('drops')
  })
})
