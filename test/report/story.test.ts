import { describe, expect, test } from 'vitest'
import { judge } from '../../src/check/index.ts'
import { invariantNames, type Violation } from '../../src/contract/api/verdict.ts'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

/** The first violation that any invariant finds. */
function violationIn(history: HistoryBuilder): Violation {
  const found = judge(history, invariantNames).flatMap(({ verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations : [],
  )
  return found[0]!
}
const storyOf = (history: HistoryBuilder) => reportStory(history, violationIn(history))
const command = (history: HistoryBuilder, process: string, text: string) =>
  history.add({ type: 'command', process, command: text, reply: 'nil' })

function crashBetween(traced: boolean): HistoryBuilder {
  const history = aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1')
  if (traced)
    command(command(command(history.at(2), 'consumer-1', 'hello 3'), 'consumer-1', 'get idem:k1'), 'consumer-3', 'PING')
  history.at(12.4).send(1, 1).at(15).apply(1).at(16)
  history.crash('consumer-1').strike('crash', 'consumer-1 is killed after its effect was applied', 'consumer-1')
  history.strike('pause', 'consumer-9 stops', 'consumer-9')
  history.at(1016).deliver(2, 'm1', 'consumer-2', 2).send(2, 2).at(1020).apply(2)
  return history.at(1030).done(2).settle('m1', 'done').rest()
}

describe('the story of a repeat', () => {
  test('uses only facts, with virtual times, the sentence of the fault, the two effects and the moral', () => {
    expect(storyOf(crashBetween(false))).toEqual([
      '   1.0 ms  m1 is handed to consumer-1 (attempt 1)',
      '  15.0 ms  the sink applies effect-1 for k1, sent by consumer-1',
      '  16.0 ms  fault: consumer-1 is killed after its effect was applied',
      '1016.0 ms  m1 is handed to consumer-2 (attempt 2)',
      '1020.0 ms  the sink applies effect-2 for k1, sent by consumer-2',
      'The sink applied effect-1 (consumer-1, 15.0 ms) and effect-2 (consumer-2, 1020.0 ms) for the same key k1.',
      expect.stringContaining('should have asked the sink'),
    ])
  })

  test('shows recorded commands on the key, without handshakes', () => {
    const story = storyOf(crashBetween(true)).join('\n')
    expect(story).toContain('Redis executes GET idem:k1 for consumer-1: nil')
    expect(story).not.toMatch(/HELLO|PING/)
  })

  test('distinguishes a key from one with the same prefix', () => {
    const history = aRun().publish('m1').publish('m10', { key: 'k10' }).deliver(1, 'm1', 'consumer-1').at(1)
    command(history, 'consumer-1', 'get idem:k10').send(1, 1).apply(1).at(2)
    command(history, 'consumer-1', 'get idem:k1').loseData('expiry', ['lock:k10']).loseData('expiry', ['lock:k1'])
    history.deliver(2, 'm1', 'consumer-2').send(2, 2).apply(2).rest()
    const story = storyOf(history).join('\n')
    expect(story).toContain('GET idem:k1 ')
    expect(story).toContain('loses lock:k1 ')
    expect(story).not.toMatch(/k10/)
  })

  test('omits other keys, faults of uninvolved processes, and all later events', () => {
    const history = aRun().publish('m9', { key: 'k9' }).deliver(9, 'm9', 'consumer-1').done(9)
    history.publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-2', 2).send(1, 1).send(2, 2)
    command(history, 'consumer-1', 'get idem:k9').apply(1).apply(2).at(50).settle('m1', 'done').rest()
    const story = reportStory(
      history,
      judge(history, ['at-most-once']).flatMap(({ verdict }) =>
        verdict.verdict === 'violated' ? verdict.violations : [],
      )[0]!,
    )
    expect(story.join('\n')).not.toMatch(/k9|m9|50\.0 ms|consumer-9/)
  })
})

describe('the story of a long run', () => {
  const retries = (replyOf: (n: number) => string) => {
    const history = aRun().publish('m1')
    for (let n = 1; n <= 30; n++) {
      history.at(n * 10).deliver(n, 'm1', `consumer-${1 + (n % 2)}`, n)
      history.add({
        type: 'command',
        process: `consumer-${1 + (n % 2)}`,
        command: `SET lock:k1 t${n}`,
        reply: replyOf(n),
      })
      history.answer(n, { status: 'retry', reason: `${n} ms left` })
    }
    return storyOf(history.settle('m1', 'given-up').rest())
  }
  const commandsIn = (story: readonly string[]) => story.filter((line) => line.includes(' executes ')).length

  test('folds retries with equal replies into one line with their number, after the first', () => {
    const story = retries(() => 'nil')
    expect(story.length).toBeLessThanOrEqual(6)
    expect(story).toContainEqual('          … 29 more attempts get the same reply and end the same way, until 300.0 ms')
    expect(commandsIn(story)).toBe(1)
    expect(retries((n) => `["held", ${n}]`)).toContainEqual(
      expect.stringContaining('29 more attempts get the same reply'),
    )
    expect(story).toContainEqual(
      ' 10.0 ms  m1, attempt 1: Redis executes SET lock:k1 t1 for consumer-2: nil; consumer-2 answers retry (1 ms left)',
    )
    expect(story.at(-2)).toBe('the broker gave up on m1 (key k1) at 300.0 ms: its attempts ran out.')
  })

  test('shows every retry with a different reply', () => {
    const story = retries((n) => (n === 14 ? 'OK' : 'nil'))
    expect(story).toContainEqual(
      expect.stringMatching(/140\.0 ms {2}m1, attempt 14: Redis executes SET lock:k1 t14 for consumer-1: OK; /),
    )
    expect(story.filter((line) => line.includes('more attempts get the same reply'))).toHaveLength(1)
    expect(commandsIn(story)).toBe(2)
    expect(commandsIn(retries((n) => `${n}`))).toBe(30)
  })

  test('never omits what touched the key of the violation, however many events there are', () => {
    const history = aRun().publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'consumer-1')
    for (let n = 1; n <= 40; n++) {
      history.at(n).add({ type: 'command', process: 'consumer-1', command: `SET k1 v${n}`, reply: `"${n}"` })
      history.add({ type: 'command', process: 'consumer-1', command: 'INCR statistics', reply: `${n}` })
    }
    history.loseData('expiry', ['lock:k1']).loseData('expiry', ['lock:k2'])
    history.deliver(2, 'm1', 'consumer-2', 2).send(1, 1).apply(1).send(2, 2).apply(2)
    const story = storyOf(history.rest()).join('\n')
    for (let n = 1; n <= 40; n++) expect(story).toContain(`SET k1 v${n} `)
    expect(story).toContain('loses lock:k1')
    expect(story).not.toMatch(/statistics|lock:k2/)
  })

  test('never omits that a clock jumped back, but omits the end of other faults', () => {
    const healed = (fault: string) => {
      const history = aRun().publish('m1').strike(fault).at(1).deliver(1, 'm1', 'consumer-1')
      for (let n = 1; n <= 20; n++)
        history.at(n).add({ type: 'command', process: 'consumer-1', command: `SET k1 v${n}`, reply: `"${n}"` })
      history.heal(fault).deliver(2, 'm1', 'consumer-2', 2).send(1, 1).apply(1).send(2, 2).apply(2)
      return storyOf(history.rest()).join('\n')
    }
    expect(healed('clock-step')).toContain('healed: clock-step heals')
    expect(healed('slow-redis')).not.toContain('healed')
  })

  test('is thinned in the middle if no key is to blame, and mentions that', () => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
    for (let n = 1; n <= 40; n++)
      history.at(n).add({ type: 'command', process: 'consumer-1', command: `SET k${n} v`, reply: `"${n}"` })
    history.add({ type: 'keys-counted', keys: 40, withoutExpiry: 40 })
    const all = { kind: 'as-many-as-keys', key: null, sentence: 'all', events: [history.events.length - 1] }
    const story = reportStory(history.rest(), all)
    expect(story.length).toBeLessThanOrEqual(13)
    expect(story.filter((line) => /… \d+ more such events not shown/.test(line))).toHaveLength(1)
  })
})

test('a single omitted event is called one event', () => {
  const reported = (commands: number) => {
    // Two deliveries are open, so that the sender of a command is unknown, and each command is a
    // step.
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2)
    for (let n = 1; n <= commands; n++)
      history.at(n).add({ type: 'command', process: 'consumer-1', command: `SET k${n} v`, reply: `"${n}"` })
    history.add({ type: 'keys-counted', keys: 40, withoutExpiry: 40 })
    const events = [history.events.length - 1]
    return reportStory(history.rest(), { kind: 'as-many-as-keys', key: null, sentence: 'all', events }).join('\n')
  }
  const left = Array.from({ length: 20 }, (_, n) => /\d+ more such events? not shown/.exec(reported(n))?.[0])
  expect(left).toContain('1 more such event not shown')
  expect(left).toContain('2 more such events not shown')
})

describe('the moral', () => {
  const moral = (kind: string, decidedBy: string | null) =>
    reportStory(aRun().publish('m1'), { kind, key: 'k1', sentence: 'twice', events: [0] }, decidedBy).at(-1)

  test('is that of the deciding step if it says more than the kind', () => {
    const gap = 'SET: nothing, then GET: nothing'
    expect(moral('repeat-after-loss:expiry', gap)).toContain('should have started over')
    expect(moral('repeat-after-loss:expiry', 'SET: OK')).toContain('should live for as long as')
    expect(moral('duplicate', 'SET: OK, done meanwhile')).toContain('overwrote a record that was completed')
    expect(moral('duplicate', 'SET: OK')).toContain('should have found the key taken')
    expect(moral('repeat-after-crash', gap)).toContain('The first request was in doubt')
  })
})

test('the shortest story has five lines', () => {
  const history = aRun()
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .answer(1, { status: 'dead-letter', reason: 'why not' })
  expect(storyOf(history.settle('m1', 'dead-lettered', 'why not').rest())).toHaveLength(5)
})
