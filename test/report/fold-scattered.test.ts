/**
 * A process with several open attempts gets the same reply repeatedly. The story shows the reply
 * once, with the number of repeats and the time of the last one.
 */
import { describe, expect, it } from 'vitest'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

const ask = (history: HistoryBuilder, reply = '["held"]', process = 'consumer-1') =>
  history.add({ type: 'command', process, command: 'GET idem:k1', reply })

/**
 * The first attempt stays open, so that the sender is unknown. Each of the others finds the record
 * held. `between` comes before the third of these replies.
 */
function polled(
  between: (history: HistoryBuilder) => void = () => {},
  replyOf: (n: number) => string = () => '["held"]',
) {
  const history = aRun().publish('m1')
  for (let n = 1; n <= 5; n++) history.deliver(n, 'm1', 'consumer-1', n)
  ask(history.at(5), '["acquired"]')
  for (let n = 2; n <= 5; n++) {
    if (n === 4) between(history)
    ask(history.at(10 * n), replyOf(n)).answer(n, { status: 'retry' })
  }
  history.at(99).settle('m1', 'given-up')
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
  return reportStory(history, violation).map((line) => line.trim())
}

const asked = (story: readonly string[]) =>
  story.filter((line) => line.includes('GET idem:k1 for consumer-1: ["held"]'))
const counted = (story: readonly string[]) => story.filter((line) => line.includes('with the same replies'))

describe('a command with equal replies between attempts that give up', () => {
  it('is shown once, with the number of repeats and their end', () => {
    const story = polled()
    const first = story.findIndex((line) => line.startsWith('20.0 ms  Redis executes GET idem:k1'))
    expect(asked(story)).toEqual([story[first]])
    expect(story[first]).toMatch(/\["held"\]; repeated 3 times with the same replies, until 50\.0 ms$/)
    expect(story).toContain('5.0 ms  Redis executes GET idem:k1 for consumer-1: ["acquired"]')
  })

  it('is shown once with one count if only a copy is delivered in between', () => {
    const copied = polled((history) => history.strike('duplicate-delivery', 'the broker hands out a copy of m1'))
    expect(asked(copied)).toHaveLength(1)
    expect(asked(copied)[0]).toMatch(/; repeated 3 times with the same replies, until 50\.0 ms$/)
  })

  it.each<[string, (history: HistoryBuilder) => void]>([
    ['a hand-over', (history) => history.at(35).deliver(6, 'm1', 'consumer-1', 6).at(36).send(6, 6)],
    ['an effect', (history) => history.at(35).send(1, 1).at(36).apply(1)],
    ['a loss', (history) => history.at(35).loseData('expiry', ['idem:k1'])],
    ['a fault', (history) => history.at(35).strike('pause', 'consumer-1 stops', 'consumer-1')],
    ['a command with another reply', (history) => ask(history.at(35), '"1"', 'consumer-1')],
  ])('is shown on both sides of %s', (_, between) => {
    const times = asked(polled(between)).map((line) => line.split(' ms')[0])
    // Rounds of a command and an answer are still shown once if nothing is between them.
    expect(times).toEqual(expect.arrayContaining(['20.0', '40.0']))
  })

  it('is shown each time if the reply differs', () => {
    expect(counted(polled(undefined, (n) => `["held", "of ${n}"]`))).toEqual([])
  })

  it('is shown twice if it is repeated once, because a count would not be shorter', () => {
    const story = polled(undefined, (n) => (n < 4 ? '["held"]' : `"${n}"`))
    expect(asked(story)).toHaveLength(2)
    expect(counted(story)).toEqual([])
  })
})

describe('idle steps between deliveries that lead to effects', () => {
  /** Five times, `lost` requests are lost, and an attempt calls the sink in the end. */
  const waited = (lost: number) => {
    const history = aRun().publish('m1')
    for (let n = 1; n <= 5; n++) {
      for (let each = 0; each < lost; each++)
        history.at(10 * n + each).add({ type: 'request-lost', process: 'consumer-1', command: 'GET' })
      history.at(10 * n + 9).deliver(n, 'm1', 'consumer-1', n)
    }
    for (let n = 1; n <= 5; n++) ask(history.at(100 + n), `["held", "of ${n}"]`)
    for (let n = 1; n <= 5; n++) history.at(200).send(n, n)
    history.at(299).settle('m1', 'given-up')
    const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
    return reportStory(history, violation).map((line) => line.trim())
  }

  it('are shown in one line with their total count', () => {
    const story = waited(4)
    expect(story.filter((line) => line.includes('such steps without an effect'))).toHaveLength(1)
    // No attempt is open when the first four are lost. The first one after them is shown.
    expect(story).toContain('… 15 more such steps without an effect, until 53.0 ms')
  })

  it('do not move the deliveries', () => {
    const handed = waited(4).filter((line) => line.includes('is handed to'))
    expect(handed).toEqual([
      '19.0 ms  m1 is handed to consumer-1 (attempt 1)',
      '29.0 ms  m1 is handed to consumer-1 (attempt 2); repeated 3 times with the same replies, until 59.0 ms',
    ])
  })

  it('have no line if nothing was left out', () => {
    expect(waited(0).join('\n')).not.toContain('such steps without an effect')
  })
})
