/**
 * One process that is told the same again and again, with several attempts open: once in a story,
 * and when each time.
 */
import { describe, expect, it } from 'vitest'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

const ask = (history: HistoryBuilder, reply = '["held"]', process = 'consumer-1') =>
  history.add({ type: 'command', process, command: 'GET idem:k1', reply })

/**
 * The first attempt stays open, so that nobody knows which of the five sent what. Each of the
 * others is told that the record is held; `between` comes before the third of them is.
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

describe('a command of which a process is told the same between attempts that give up', () => {
  it('is told once, with how often more and until when in its line', () => {
    const story = polled()
    const first = story.findIndex((line) => line.startsWith('20.0 ms  Redis executes GET idem:k1'))
    expect(asked(story)).toEqual([story[first]])
    expect(story[first]).toMatch(/\["held"\]; repeated 3 times with the same replies, until 50\.0 ms$/)
    expect(story).toContain('5.0 ms  Redis executes GET idem:k1 for consumer-1: ["acquired"]')
  })

  it('is told again where the broker only hands out a copy between them, in the same count', () => {
    const copied = polled((history) => history.strike('duplicate-delivery', 'the broker hands out a copy of m1'))
    expect(asked(copied)).toHaveLength(1)
    expect(asked(copied)[0]).toMatch(/; repeated 3 times with the same replies, until 50\.0 ms$/)
  })

  it.each<[string, (history: HistoryBuilder) => void]>([
    ['a hand-over', (history) => history.at(35).deliver(6, 'm1', 'consumer-1', 6).at(36).send(6, 6)],
    ['an effect', (history) => history.at(35).send(1, 1).at(36).apply(1)],
    ['a loss', (history) => history.at(35).loseData('expiry', ['idem:k1'])],
    ['a fault', (history) => history.at(35).strike('pause', 'consumer-1 stops', 'consumer-1')],
    ["another one's command", (history) => ask(history.at(35), '"1"', 'consumer-1')],
  ])('is told on both sides of %s', (_, between) => {
    const times = asked(polled(between)).map((line) => line.split(' ms')[0])
    // Rounds of a command and an answer without anything between them are told once as ever.
    expect(times).toEqual(expect.arrayContaining(['20.0', '40.0']))
  })

  it('is told each time where the reply is another one', () => {
    expect(counted(polled(undefined, (n) => `["held", "of ${n}"]`))).toEqual([])
  })

  it('is told each time where it comes but once more: a count says less than the line', () => {
    const story = polled(undefined, (n) => (n < 4 ? '["held"]' : `"${n}"`))
    expect(asked(story)).toHaveLength(2)
    expect(counted(story)).toEqual([])
  })
})

describe('what was idle between hand-overs of which something came', () => {
  /**
   * Five times: as many requests as `lost` are lost, and an attempt is handed over that calls the
   * sink in the end.
   */
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

  it('is told in one line, with all of it counted', () => {
    const story = waited(4)
    expect(story.filter((line) => line.includes('such steps without an effect'))).toHaveLength(1)
    // Nobody is at work yet when the first four are lost, and the first after that is told.
    expect(story).toContain('… 15 more such steps without an effect, until 53.0 ms')
  })

  it('leaves the hand-overs where they are', () => {
    const handed = waited(4).filter((line) => line.includes('is handed to'))
    expect(handed).toEqual([
      '19.0 ms  m1 is handed to consumer-1 (attempt 1)',
      '29.0 ms  m1 is handed to consumer-1 (attempt 2); repeated 3 times with the same replies, until 59.0 ms',
    ])
  })

  it('has no line where nothing was left out', () => {
    expect(waited(0).join('\n')).not.toContain('such steps without an effect')
  })
})
