/**
 * Which events a story puts in one line, and which it leaves to the next: each rule, and its limit.
 */
import { describe, expect, it } from 'vitest'
import type { RunHeader } from '../../src/contract/api/history.ts'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

/** The story of a violation that the last event shows. */
function storyOf(history: HistoryBuilder): string[] {
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
  return reportStory(history, violation).map((line) => line.trim())
}

const ask = (history: HistoryBuilder, process: string, reply = 'nil', command = 'GET idem:k1') =>
  history.add({ type: 'command', process, command, reply })

/** A copy of the history so far. */
function again(history: HistoryBuilder): HistoryBuilder {
  const copy = begun()
  copy.events.splice(0, copy.events.length, ...history.events)
  return copy
}

const begun = () => aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1').at(2)

it('a message is shown with its produced-at time only if that is wrong, however many events there are', () => {
  const story = (producedAtOffMs: number) => {
    const history = aRun().publish('m1', { producedAtOffMs }).at(1).deliver(1, 'm1', 'consumer-1')
    for (let n = 0; n < 12; n++) ask(history.at(n + 2), 'consumer-1', String(n), `GET idem:k1:${n}`)
    return storyOf(history.at(20).answer(1, { status: 'retry' }).settle('m1', 'given-up'))[0]
  }
  expect(story(9355)).toBe(
    '0.0 ms  m1 is published with the key k1, with a produced-at time 9355.0 ms after that of the key',
  )
  expect(story(-20)).toContain('with a produced-at time 20.0 ms before that of the key')
  expect(story(0)).not.toContain('published')
})

describe('two messages of one key in one process', () => {
  const both = (more: Parameters<typeof aRun>[0] = {}, other = 'k1') => {
    const run = aRun(more).publish('m1').publish('m2', { key: other })
    run.deliver(1, 'm1', 'consumer-1').at(1).deliver(2, 'm2', 'consumer-1')
    for (const sentFor of [1, 2])
      run.at(sentFor + 1).add({ type: 'command', process: 'consumer-1', command: 'GET idem:k1', reply: 'nil', sentFor })
    return run.at(600).send(1, 1).send(2, 2).at(601).apply(1).apply(2)
  }

  it('are shown with their key, and each command with its message', () => {
    const story = storyOf(both())
    expect(story).toContain('1.0 ms  m2 (key k1) is handed to consumer-1 (attempt 1)')
    expect(story).toContain('2.0 ms  m1: Redis executes GET idem:k1 for consumer-1: nil')
    expect(storyOf(both({}, 'k2')).join('\n')).not.toMatch(/\(key k1\)|m1: Redis/)
  })

  it('call the sink after the planned work, which the story names', () => {
    const plan = { work: { beforeMs: 500, afterMs: 0 } } as unknown as RunHeader['plan']
    const story = storyOf(both({ plan })).join('\n')
    expect(story).toMatch(/consumer-1 calls the sink for k1, after 500 ms of planned work/)
    expect(story).toMatch(/the sink applies effect-1 for k1, sent by consumer-1, after 500 ms of planned work/)
    expect(storyOf(both()).join('\n')).not.toContain('planned work')
  })
})

describe('an attempt', () => {
  it('is one line if it asks and answers', () => {
    const history = ask(begun(), 'consumer-1').at(3).answer(1, { status: 'retry' }).at(4).settle('m1', 'given-up')
    expect(storyOf(history)[0]).toBe(
      '2.0 ms  m1, attempt 1: Redis executes GET idem:k1 for consumer-1: nil; consumer-1 answers retry',
    )
  })

  it('is shown event by event if a fault struck its process in between', () => {
    const history = ask(begun().strike('pause', 'consumer-1 stops', 'consumer-1'), 'consumer-1').at(3)
    const story = storyOf(
      history.strike('pause', 'consumer-1 stops again', 'consumer-1').throw(1).settle('m1', 'dead-lettered'),
    )
    expect(story).toContain('1.0 ms  m1 is handed to consumer-1 (attempt 1)')
    expect(story).toContain('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil')
    expect(story).toContain('3.0 ms  consumer-1 throws over m1: TypeError: no')
  })

  it('is shown event by event if its process works on the key twice', () => {
    const history = ask(begun().deliver(2, 'm1', 'consumer-1', 2), 'consumer-1')
      .at(3)
      .answer(1, { status: 'retry' })
    const story = storyOf(history.settle('m1', 'given-up'))
    expect(story).toContain('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil')
    expect(story).toContain('3.0 ms  consumer-1 answers retry for m1')
  })

  it('excludes commands of its process from before any delivery', () => {
    const begins = begun().add({
      type: 'command',
      process: 'consumer-1',
      command: 'SET host:a v1',
      reply: 'OK',
      ofStart: true,
    })
    expect(storyOf(ask(begins, 'consumer-1').settle('m1', 'given-up'))).toEqual([
      '2.0 ms  Redis executes SET host:a v1 for consumer-1: OK',
      '2.0 ms  m1, attempt 1: Redis executes GET idem:k1 for consumer-1: nil',
      '2.0 ms  the broker gives up on m1: its attempts ran out',
      'so it is.',
    ])
  })

  it('is one line even if its process works on another key', () => {
    const history = begun().publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1')
    expect(storyOf(ask(history, 'consumer-1').settle('m1', 'given-up'))[0]).toContain('m1, attempt 1: Redis executes')
  })
})

describe('the answer of an attempt', () => {
  /** Consumer-1 asks at 2 ms and answers at `atMs`. Consumer-2 writes at 200 ms. */
  const answered = (atMs: number) => {
    const history = ask(begun().deliver(2, 'm1', 'consumer-2', 2), 'consumer-1')
    const written = () => ask(history.at(200), 'consumer-2', 'OK', 'SET idem:k1 COMPLETED')
    const done = () => history.at(atMs).answer(1, { status: 'retry' })
    for (const then of atMs < 200 ? [done, written] : [written, done]) then()
    return storyOf(history.at(600).settle('m1', 'given-up')).map((line) => line.replace('m1, attempt 1: ', ''))
  }

  it('is shown with the question if it comes at once', () => {
    expect(answered(12)).toContain('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil; consumer-1 answers retry')
  })

  it('is shown at its own time, after the events in between, if it comes later', () => {
    const [asked, wrote, ...later] = answered(500)
    expect(asked).toBe('2.0 ms  Redis executes GET idem:k1 for consumer-1: nil')
    expect(wrote).toContain('200.0 ms  m1, attempt 2: Redis executes SET idem:k1 COMPLETED for consumer-2: OK')
    expect(later[0]).toBe('500.0 ms  consumer-1 answers retry for m1')
    expect(answered(13)).toContain('13.0 ms  consumer-1 answers retry for m1')
  })
})

describe('equal steps', () => {
  /**
   * Three copies, one for each of these consumers. Each attempt asks, writes and calls the sink.
   */
  const storyAt = (consumers: readonly string[]) => {
    const history = aRun().publish('m1').at(1)
    const each = (what: (process: string, n: number) => void) =>
      consumers.forEach((process, at) => void what(process, at + 1))
    each((process, n) => history.deliver(n, 'm1', process, n))
    history.at(2).strike('slow-link', 'all is slow')
    each((process) => ask(history.at(3), process, 'OK', 'SET idem:k1 PROCESSING'))
    each((_, n) => history.at(20 + n).send(n, n))
    each((_, n) => history.at(30 + n).refuse(n))
    return storyOf(history.at(99).settle('m1', 'given-up'))
  }
  const at = (story: readonly string[], what: string) =>
    story.filter((line) => line.includes(what)).flatMap((line) => line.match(/consumer-\d/) ?? [])

  it('are shown for each process that took them', () => {
    const three = ['consumer-1', 'consumer-2', 'consumer-3']
    const story = storyAt(three)
    for (const what of ['SET idem:k1 PROCESSING', 'calls the sink for k1', 'the sink refuses'])
      expect(at(story, what)).toEqual(three)
    expect(story.join('\n')).not.toContain('; repeated ')
  })

  it('are shown once with their number if one process took them all', () => {
    const story = storyAt(['consumer-1', 'consumer-1', 'consumer-1'])
    expect(at(story, 'SET idem:k1 PROCESSING')).toEqual(['consumer-1'])
    expect(story.filter((line) => line.includes('; repeated 2 times'))).toHaveLength(4)
  })
})

describe('an attempt that asks and then calls the sink', () => {
  const called = (laterMs: number, between: (history: HistoryBuilder) => void = () => {}) => {
    const history = ask(begun(), 'consumer-1').at(2 + laterMs)
    between(history)
    return storyOf(history.send(1, 1).at(90).strike('slow-effect').at(99).settle('m1', 'given-up')).join('\n')
  }

  it('is one line if it does so at once', () => {
    expect(called(1)).toContain(
      'm1, attempt 1: Redis executes GET idem:k1 for consumer-1: nil; consumer-1 calls the sink',
    )
  })

  it('is two lines if it takes longer, or a fault struck in between', () => {
    expect(called(11)).toContain('13.0 ms  consumer-1 calls the sink for k1')
    expect(called(1, (history) => history.strike('pause', 'it stops', 'consumer-1'))).toContain(
      '3.0 ms  consumer-1 calls the sink for k1',
    )
  })

  it('is two lines if a shown event came in between: an expiry or a command of another process', () => {
    const calls = '3.0 ms  consumer-1 calls the sink for k1'
    const other = (history: HistoryBuilder) => ask(history, 'consumer-2', 'OK', 'SET idem:k1 2')
    expect(called(1, (history) => history.loseData('expiry', ['idem:k1']))).toContain(calls)
    expect(called(1, (history) => other(history.deliver(2, 'm1', 'consumer-2', 2)))).toContain(calls)
  })

  it('is two lines if the violation shows the call', () => {
    const history = ask(begun(), 'consumer-1').at(3).send(1, 1)
    expect(storyOf(history)).toContain('3.0 ms  consumer-1 calls the sink for k1')
  })

  it('is shown with the result of the call if that comes next', () => {
    const history = ask(begun(), 'consumer-1').at(3).send(1, 1).at(4).apply(1)
    expect(storyOf(history).slice(0, 2)).toEqual([
      '2.0 ms  m1, attempt 1: Redis executes GET idem:k1 for consumer-1: nil',
      '4.0 ms  the sink applies effect-1 for k1, sent by consumer-1',
    ])
  })
})

describe('an attempt whose process has another delivery of the key', () => {
  const second = (history: HistoryBuilder) =>
    storyOf(
      ask(history.at(3).deliver(2, 'm1', 'consumer-1', 2).at(4), 'consumer-1')
        .at(5)
        .answer(2, { status: 'retry' })
        .settle('m1', 'given-up'),
    ).join('\n')

  it('is one line if that delivery waits for the sink', () => {
    expect(second(begun().send(1, 1))).toContain('4.0 ms  m1, attempt 2: Redis executes')
  })

  it('is shown event by event if that delivery has its answer', () => {
    expect(second(begun().send(1, 1).apply(1).notifyCaller(1, 'receipt'))).toContain(
      '3.0 ms  m1 is handed to consumer-1',
    )
  })
})

describe('a loss of data', () => {
  const gone = (cause: 'flush' | 'expiry', key = 'idem:k1') =>
    ask(begun(), 'consumer-1', 'OK', 'SET idem:k1 1').at(5).loseData(cause, [key])
  const flushed = 'fault: an operator runs FLUSHALL'

  it('is shown with the fault that caused it', () => {
    const story = storyOf(gone('flush').strike('redis-flushed', 'an operator runs FLUSHALL').settle('m1', 'given-up'))
    expect(story).toContain(`5.0 ms  ${flushed}; redis loses idem:k1 (flush)`)
  })

  it('is shown on its own if no fault struck the server at that moment', () => {
    const story = storyOf(
      gone('flush').at(6).strike('redis-flushed', 'an operator runs FLUSHALL').settle('m1', 'given-up'),
    )
    expect(story).toContain('5.0 ms  redis loses idem:k1 (flush)')
    expect(story).toContain(`6.0 ms  ${flushed}`)
  })

  it('is shown with the command that found the expired key, but not with one about another record', () => {
    const found = (command: string) =>
      storyOf(ask(gone('expiry'), 'consumer-1', 'nil', command).settle('m1', 'given-up')).join('\n')
    expect(found('GET idem:k1')).toContain('GET idem:k1 for consumer-1: nil; idem:k1 has expired')
    expect(found('GET lock:k1')).toContain('5.0 ms  redis loses idem:k1 (expiry)')
  })

  it('has no line if it concerns only other keys', () => {
    const other = gone('flush', 'idem:k2').publish('m2', { key: 'k2' })
    const story = storyOf(other.strike('redis-flushed', 'an operator runs FLUSHALL').settle('m1', 'given-up'))
    expect(story.join('\n')).not.toContain('loses')
  })

  it('may be empty', () => {
    const story = storyOf(begun().at(5).loseData('restart', []).settle('m1', 'given-up'))
    expect(story).toContain('5.0 ms  redis restarts and had nothing to lose (restart)')
  })

  it('is shown with the write that was lost', () => {
    const history = begun()
    history.add({ type: 'data-lost', node: 'redis-1', cause: 'split-brain', redisKeys: ['idem:k1'] })
    const written = { type: 'command', process: 'consumer-1', command: 'SET idem:k1 1', reply: 'OK' } as const
    const on = (node: string) =>
      storyOf(
        again(history)
          .add({ ...written, node })
          .settle('m1', 'given-up'),
      ).join('\n')
    expect(on('redis-1')).toContain('for consumer-1: OK; redis-1 loses idem:k1 (split-brain)')
    expect(on('redis-2')).toContain('2.0 ms  redis-1 loses idem:k1 (split-brain)')
  })
})

describe('a period without results', () => {
  const waited = (between: (history: HistoryBuilder) => void = () => {}) => {
    const history = aRun().publish('m1')
    for (let n = 1; n <= 6; n++) {
      history.at(10 * n).deliver(n, 'm1', 'consumer-1', n)
      // All rounds differ.
      for (let lost = 0; lost < n % 3; lost++)
        history.add({ type: 'request-lost', process: 'consumer-1', command: 'GET' })
      if (n === 3) between(history)
    }
    return storyOf(history.at(99).settle('m1', 'given-up'))
  }

  it('has each kind of step once, with the number of others', () => {
    expect(waited().slice(0, 3)).toEqual([
      '10.0 ms  m1 is handed to consumer-1 (attempt 1)',
      '10.0 ms  GET of consumer-1 is lost before it is executed',
      '… 10 more such steps without an effect, until 60.0 ms',
    ])
  })

  it('ends at a different step', () => {
    const story = waited((history) => history.strike('pause', 'it stops', 'consumer-1'))
    expect(story.filter((line) => line.includes('such steps without an effect'))).toHaveLength(2)
    expect(story).toContain('30.0 ms  fault: it stops')
  })

  /** Four consumers get the message, the last one three times. `after` follows. */
  const handedOver = (after: (history: HistoryBuilder) => void) => {
    const history = aRun().publish('m1')
    for (const n of [1, 2, 3]) history.at(10 * n).deliver(n, 'm1', `consumer-${n}`, n)
    for (const n of [4, 5, 6]) history.at(10 * n).deliver(n, 'm1', 'consumer-4', n)
    after(history)
    return storyOf(history.at(99).settle('m1', 'given-up'))
  }

  it('excludes deliveries with a request, an answer, a throw or a command', () => {
    const isSaid = (after: (history: HistoryBuilder) => void) =>
      handedOver(after).join('\n').includes('such steps without an effect')
    expect(isSaid(() => {})).toBe(true)
    expect(isSaid((history) => history.send(1, 5).at(70).apply(1))).toBe(false)
    expect(isSaid((history) => history.answer(5, { status: 'retry' }))).toBe(false)
    expect(isSaid((history) => history.throw(5))).toBe(false)
    expect(isSaid((history) => ask(history, 'consumer-4'))).toBe(false)
    expect(isSaid((history) => ask(history, 'consumer-5'))).toBe(true)
  })

  it('excludes deliveries whose results did not fit into the story', () => {
    const isSaid = (asks: boolean) => {
      const history = aRun().publish('m1')
      for (let n = 1; n <= 9; n++) history.at(n).strike('slow-link', `link ${n} is slow`)
      for (let n = 1; n <= 6; n++) {
        history.at(10 * n).deliver(n, 'm1', 'consumer-1', n)
        // The layer hashes its keys, so its commands do not contain the key of the message.
        if (asks) ask(history, 'consumer-1', `${n}`, 'GET 9c1f05')
      }
      const story = storyOf(history.at(99).settle('m1', 'given-up')).join('\n')
      expect(story).not.toContain('9c1f05')
      return story.includes('such steps without an effect')
    }
    expect(isSaid(true)).toBe(false)
    expect(isSaid(false)).toBe(true)
  })

  it('ends after its last step, even if another process has a later one in the story', () => {
    const history = aRun().publish('m1')
    for (const n of [1, 2, 3, 4]) history.at(n).deliver(n, 'm1', n === 4 ? 'consumer-2' : 'consumer-1', n)
    history.at(5).strike('slow-link', 'all is slow')
    for (const n of [1, 2, 3, 4]) history.at(10 * n).add({ type: 'delivery-timed-out', deliveryId: n })
    const story = storyOf(history.at(99).settle('m1', 'given-up'))
    const closed = story.findIndex((line) => line.endsWith('such steps without an effect, until 30.0 ms'))
    expect(closed).toBeGreaterThan(0)
    expect(story[closed - 1]).toMatch(/^10\.0 ms /)
    expect(story[closed + 1]).toMatch(/^40\.0 ms /)
  })

  it('has each kind of step once for each process', () => {
    const story = handedOver(() => {}).filter((line) => line.includes('is handed to'))
    expect(story.map((line) => line.match(/consumer-\d/)![0])).toEqual([
      'consumer-1',
      'consumer-2',
      'consumer-3',
      'consumer-4',
    ])
  })
})

it('attempts after the violation are not counted', () => {
  const history = aRun().publish('m1')
  for (let n = 1; n <= 9; n++)
    ask(history.at(10 * n).deliver(n, 'm1', 'consumer-1', n), 'consumer-1').answer(n, { status: 'retry' })
  const shown = history.events.find((event) => event.type === 'answered' && event.deliveryId === 5)!
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [shown.seq] }
  expect(reportStory(history, violation).join('\n')).toContain('3 more attempts get the same reply')
})

it('answers that never reach the broker are shown once for each process', () => {
  const unheard = (processOf: (n: number) => string) => {
    const history = aRun().publish('m1')
    for (let n = 1; n <= 3; n++) history.at(n).deliver(n, 'm1', processOf(n), n)
    for (let n = 1; n <= 3; n++) history.at(10 + n).add({ type: 'acknowledgement-lost', deliveryId: n })
    return storyOf(history.at(99).settle('m1', 'given-up')).filter((line) => line.includes('never reaches the broker'))
  }
  expect(unheard((n) => `consumer-${n}`)).toHaveLength(3)
  expect(unheard(() => 'consumer-1')).toHaveLength(1)
})

it('equal refusals by the sink for several messages are shown once for each message', () => {
  const refusals = (messages: readonly string[]) => {
    const history = aRun()
    for (const message of new Set(messages)) history.publish(message, { key: 'k1' })
    messages.forEach((message, n) => void history.at(n + 1).deliver(n + 1, message, 'consumer-1', n + 1))
    messages.forEach((_, n) => void history.at(20 + n).send(n + 1, n + 1))
    history.at(30).strike('slow-link', 'all is slow')
    messages.forEach((_, n) => void history.at(50 + n).refuse(n + 1))
    return storyOf(history.at(99).settle('m1', 'given-up')).filter((line) => line.includes('refuses'))
  }
  expect(refusals(['m1', 'm2', 'm3', 'm4'])).toHaveLength(4)
  expect(refusals(['m1', 'm1', 'm1', 'm1'])).toHaveLength(1)
})

it('equal answers for several messages are shown once for each message', () => {
  const answers = (messages: readonly string[]) => {
    const history = aRun()
    for (const message of new Set(messages)) history.publish(message, { key: 'k1' })
    messages.forEach((message, n) => void history.at(n + 1).deliver(n + 1, message, 'consumer-1', n + 1))
    messages.forEach((_, n) => void history.send(n + 1, n + 1).refuse(n + 1))
    history.at(10).strike('slow-link', 'all is slow')
    messages.forEach((_, n) => void history.at(11 + n).answer(n + 1, { status: 'done', result: 'r1' }))
    return storyOf(history.at(99).settle('m1', 'given-up')).filter((line) => line.includes('answers done'))
  }
  expect(answers(['m1', 'm2', 'm3', 'm4'])).toHaveLength(4)
  expect(answers(['m1', 'm1', 'm1', 'm1'])).toHaveLength(1)
})

describe('a call of the sink', () => {
  it('is shown with its result, or on its own if an event came in between', () => {
    expect(storyOf(begun().send(1, 1).at(3).apply(1)).join('\n')).not.toContain('calls the sink')
    const between = begun().send(1, 1).at(3).strike('crash', 'consumer-1 is killed', 'consumer-1').at(4).apply(1)
    expect(storyOf(between)).toContain('2.0 ms  consumer-1 calls the sink for k1')
  })

  it('is shown once with a count if many are equal, and separately with another fence', () => {
    const history = begun()
    for (let request = 1; request <= 9; request++) {
      history.at(request + 2).send(request, 1)
      Object.assign(history.events.at(-1)!, { fence: request === 9 ? 2 : 1 })
    }
    const story = storyOf(history.at(20).settle('m1', 'given-up'))
    expect(story.filter((line) => line.includes('calls the sink'))).toHaveLength(2)
    expect(story.some((line) => line.endsWith('; repeated 7 times with the same replies, until 10.0 ms'))).toBe(true)
  })

  it('has its error once if the attempt ends with it, and twice if the layer continues', () => {
    const failed = (go: (history: HistoryBuilder) => void) => {
      const history = begun().send(1, 1).at(3)
      history.add({ type: 'effect-answered', requestId: 1, process: 'consumer-1', answer: 'error', error: 'Sink: 502' })
      go(history.at(4))
      return storyOf(history.throw(1, 'Sink: 502').settle('m1', 'given-up')).filter((line) => line.includes('502'))
    }
    expect(failed(() => {})).toEqual(['4.0 ms  consumer-1 throws over m1: Sink: 502'])
    expect(failed((history) => ask(history, 'consumer-1', '1', 'DEL idem:k1'))).toHaveLength(2)
  })

  it('has its error and the reaction in one line if the violation shows the error', () => {
    const history = begun().send(1, 1).at(3)
    history.add({ type: 'effect-answered', requestId: 1, process: 'consumer-1', answer: 'error', error: 'Sink: 502' })
    const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
    history.at(4).throw(1, 'Sink: 502').settle('m1', 'given-up')
    violation.events.push(history.events.length - 1)
    const story = reportStory(history, violation).map((line) => line.trim())
    expect(story).toContain('3.0 ms  consumer-1 gets an error from the sink: Sink: 502; consumer-1 throws it')
  })

  it('is shown once with a count if it is refused repeatedly', () => {
    const history = begun()
    for (let request = 1; request <= 5; request++)
      history
        .at(10 * request)
        .send(request, 1)
        .refuse(request)
        .notifyCaller(request, 'refused')
    const story = storyOf(history.at(99).settle('m1', 'given-up'))
    expect(story).toContain('… repeated 4 times with the same replies, until 50.0 ms')
    expect(story.length).toBeLessThan(9)
  })

  it('has no line for its receipt, but one for a refusal', () => {
    const heard = (answer: 'receipt' | 'refused') =>
      storyOf(begun().send(1, 1).apply(1).at(3).notifyCaller(1, answer).settle('m1', 'given-up')).join('\n')
    expect(heard('receipt')).not.toContain('has the receipt')
    expect(heard('refused')).toContain('is refused by the sink')
  })
})

describe('an event of the broker', () => {
  it('is shown if it publishes another message of the key, a copy, or one that no consumer got', () => {
    const published = (history: HistoryBuilder) =>
      storyOf(history.settle('m1', 'given-up')).filter((line) => /is published|publishes a copy/.test(line))
    expect(published(begun())).toEqual([])
    expect(published(begun().publish('m2').deliver(2, 'm2', 'consumer-2'))).toHaveLength(1)
    expect(published(begun().publish('m1', { copy: true }))).toHaveLength(1)
    expect(published(aRun().publish('m1'))).toHaveLength(1)
  })

  it('is shown if it timed out without delivering the message again', () => {
    const waited = (history: HistoryBuilder) => storyOf(history.at(9).settle('m1', 'given-up')).join('\n')
    const late = () => begun().at(5).add({ type: 'delivery-timed-out', deliveryId: 1 })
    expect(waited(late())).toContain('stops waiting')
    expect(waited(late().deliver(2, 'm1', 'consumer-2', 2))).not.toContain('stops waiting')
  })
})

describe('an event beside the key', () => {
  it('has no line if it is the end of a crash, but one if it is the end of a partition', () => {
    const healed = (fault: string) =>
      storyOf(begun().strike(fault).at(5).heal(fault).deliver(2, 'm1', 'consumer-1.2', 2).settle('m1', 'given-up'))
    expect(healed('crash').join('\n')).not.toContain('healed')
    expect(healed('partition').join('\n')).toContain('healed: partition heals')
  })

  it('has no line if it is a role of a server before any work', () => {
    const synced = (history: HistoryBuilder) =>
      history.add({ type: 'topology', node: 'redis-2', what: 'resynced', sentence: 'redis-2 drops its data' })
    expect(storyOf(synced(aRun().publish('m1')).deliver(1, 'm1', 'consumer-1')).join('\n')).not.toContain('drops')
    expect(storyOf(synced(begun()).settle('m1', 'given-up')).join('\n')).toContain('drops')
  })
})
