/**
 * What a story shows of the layer itself: source lines, beliefs, logs, and attempts without a part
 * in the violation.
 */
import { describe, expect, it } from 'vitest'
import { judge } from '../../src/check/index.ts'
import type { Violation } from '../../src/contract/api/verdict.ts'
import { reportStory } from '../../src/report/story.ts'
import { storyLines } from '../../src/report/story-lines.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

function storyOf(history: HistoryBuilder): string {
  const violations = judge(history, ['at-most-once']).flatMap(({ verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations : [],
  )
  return reportStory(history, violations[0] as Violation).join('\n')
}

const command = (history: HistoryBuilder, process: string, text: string, reply = 'OK', line?: number) =>
  history.add({
    type: 'command',
    process,
    command: text,
    reply,
    ...(line === undefined ? {} : { sentFrom: { file: 'src/pay.ts', line } }),
  })

/**
 * Two attempts, the first of which reaches the sink late. `between` comes between its claim and its
 * effect.
 */
function late(between: (history: HistoryBuilder) => void, lines: readonly (number | undefined)[] = []): HistoryBuilder {
  const history = aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1')
  command(history.at(2), 'consumer-1', 'set lock:k1 me NX PX 1000', 'OK', lines[0])
  between(history)
  send(history.at(1500), 1, 1, lines[1]).at(1501).apply(1)
  history.at(1600).deliver(2, 'm1', 'consumer-2', 2)
  return send(history.at(1700), 2, 2, lines[2]).at(1701).apply(2).rest()
}

function send(history: HistoryBuilder, request: number, delivery: number, line?: number): HistoryBuilder {
  history.send(request, delivery)
  if (line !== undefined) Object.assign(history.events.at(-1)!, { sentFrom: { file: 'src/pay.ts', line } })
  return history
}

describe('the user’s source lines', () => {
  it('stand after each command and effect, and once in the ending if both effects share one', () => {
    const story = storyOf(late(() => {}, [12, 40, 40]))
    expect(story).toMatch(/SET lock:k1 .* \(src\/pay\.ts:12\)$/m)
    expect(story).toMatch(/the sink applies effect-1 for k1, sent by consumer-1 \(src\/pay\.ts:40\)$/m)
    expect(story).toContain('for the same key k1, both from src/pay.ts:40.')
  })

  it('stand after each effect in the ending if they differ, and are absent if unknown', () => {
    expect(storyOf(late(() => {}, [12, 40, 50]))).toContain('(consumer-2, 1701.0 ms, from src/pay.ts:50)')
    expect(storyOf(late(() => {}))).not.toMatch(/ from |\.ts/)
  })

  it('stay visible in a terminal when a step is cut', () => {
    const step = `1.0 ms  Redis executes SET ${'k'.repeat(100)} (src/pay.ts:12)`
    expect(storyLines([step], { colours: false }, 60)[0]).toMatch(/^.{40,43}… \(src\/pay\.ts:12\)$/)
    expect(storyLines([step], { colours: false }, 30)[0]).toMatch(/…$/)
  })

  it('are shortened in a terminal before a reply is cut, and a step is folded before that', () => {
    const step = (command: string) => `1.0 ms  Redis executes ${command} for consumer-1: "running" (src/deep/pay.ts:12)`
    const shown = (command: string, columns: number) => storyLines([step(command)], { colours: false }, columns)[0]
    expect(shown('GET k1', 100)).toMatch(/"running" \(src\/deep\/pay\.ts:12\)$/)
    expect(shown('GET k1', 75)).toMatch(/"running" \(…\/pay\.ts:12\)$/)
    expect(shown('GET k1', 66)).toMatch(/"running" \(:12\)$/)
    expect(shown(`SET ${'k'.repeat(90)} 1`, 60)).toMatch(/k…\n +"running" \(:12\)$/)
  })

  it('stay in a terminal with the number of repeats', () => {
    const times = 'repeated 7 times with the same replies, until 9.0 ms'
    const step = `1.0 ms  Redis executes SET ${'k'.repeat(200)} (src/pay.ts:12); ${times}`
    expect(storyLines([step], { colours: false }, 200)[0]!.endsWith(`… (src/pay.ts:12); ${times}`)).toBe(true)
    expect(storyLines([step], { colours: false }, 140)[0]!.endsWith(`…; ${times}`)).toBe(true)
    expect(storyLines([step], { colours: false }, 60)[0]).toMatch(/k…$/)
  })
})

describe('the belief of an attempt', () => {
  const gone = (history: HistoryBuilder) => history.at(1002).loseData('expiry', ['lock:k1'])

  it('is shown beside the facts if its record was gone when it called the sink', () => {
    const reported = 'consumer-1 believed that it held lock:k1, by the reply at 2.0 ms; it had expired at 1002.0 ms'
    expect(storyOf(late(gone))).toContain(reported)
  })

  it('is omitted when the reply may belong to another delivery', () => {
    const history = late((between) => gone(between))
    const sent = history.events.find(({ type }) => type === 'effect-sent')!
    Object.assign(sent, { deliveryId: null })
    expect(storyOf(history)).not.toContain('believed that it held')
  })

  it('uses no reply that may belong to another delivery of the process', () => {
    /**
     * Another delivery of `consumer-1`, beside which the attempt asks again. `until`: when that
     * delivery answers.
     */
    const beside = ({ key = 'k1', until = 5, text = 'get lock:k1' } = {}) =>
      storyOf(
        late((history) => {
          history.at(3).publish('m2', { key }).deliver(9, 'm2', 'consumer-1')
          if (until === 3) history.answer(9, { status: 'retry' })
          command(history.at(4), 'consumer-1', text, 'me')
          if (until === 5) history.at(5).answer(9, { status: 'retry' })
          gone(history)
        }),
      )
    const by = (ms: number) => `lock:k1, by the reply at ${ms}.0 ms`
    expect(beside()).not.toContain('believed that it held')
    expect(beside({ until: 3 })).toContain(by(4))
    // A command that names the key does not belong to a delivery of another key, unless it names
    // that key, too.
    expect(beside({ key: 'k2' })).toContain(by(4))
    expect(beside({ key: 'k2', text: 'mget lock:k1 lock:k2' })).not.toContain('believed that it held')
    expect(beside({ key: 'k2', text: 'hget lock:k1 k2' })).not.toContain('believed that it held')
  })

  it('uses a name without a key only if the process had no other delivery', () => {
    const lost = (key: string, isBeside: boolean) => {
      const history = aRun().publish('m1').publish('m2', { key: 'k2' }).at(1).deliver(1, 'm1', 'consumer-1')
      if (isBeside) history.deliver(9, 'm2', 'consumer-1')
      command(history.at(2), 'consumer-1', 'set cb91 me NX', 'OK')
      if (key !== '') command(history.at(4), 'consumer-1', `hget cb91 ${key}`, 'me')
      send(history.at(5).loseData('flush', ['cb91']).at(6), 1, 1)
        .at(7)
        .apply(1)
      return storyOf(
        send(history.at(8).deliver(2, 'm1', 'consumer-2', 2), 2, 2)
          .at(9)
          .apply(2)
          .rest(),
      )
    }
    expect(lost('', true)).not.toContain('believed that it held')
    expect(lost('', false)).toContain(' held cb91, by the reply at 2.0 ms')
    expect(lost('k1', true)).toContain(' held cb91, by the reply at 4.0 ms')
    expect(lost('k2', false)).toContain(' held cb91, by the reply at 2.0 ms')
  })

  it('follows the lock events of the layer', () => {
    const says = (what: 'acquired' | 'lost') =>
      storyOf(late((history) => gone(history.at(3).add({ type: 'lock', process: 'consumer-1', key: 'k1', what }))))
    expect(says('acquired')).toContain(' held lock:k1, as it reported at 3.0 ms')
    expect(says('lost')).not.toContain('as it reported')
  })

  it('is omitted if the record existed, belonged to another key, or was read again', () => {
    expect(storyOf(late(() => {}))).not.toContain('believed that it held')
    expect(storyOf(late((history) => history.loseData('expiry', ['lock:k2'])))).not.toContain('believed that it held')
    const asked = late((history) => command(gone(history), 'consumer-1', 'get lock:k1', 'nil'))
    expect(storyOf(asked)).not.toContain('believed that it held')
  })
})

describe('a log line of a layer', () => {
  const log = (text: string, process = 'consumer-1') =>
    storyOf(late((history) => history.at(5).add({ type: 'log', process, stream: 'stderr', text })))

  it('is shown in its place, with its first line', () => {
    expect(log('retry of k1\n  at x')).toMatch(/ {2}5\.0 ms {2}consumer-1 logs \(stderr\): retry of k1 …\n/)
  })

  it('is left out if its process did not work on the key', () => {
    expect(log('hello', 'consumer-3')).not.toContain('hello')
  })
})

describe('attempts without an effect', () => {
  /** Attempts of a third consumer, one for each reply. */
  const refused = (replies: readonly string[]) =>
    late((history) => {
      for (const [at, reply] of replies.entries()) {
        history.at(10 + 10 * at).deliver(10 + at, 'm1', 'consumer-3', 2 + at)
        command(history.at(11 + 10 * at), 'consumer-3', 'set lock:k1 me NX PX 1000', reply)
        history.at(12 + 10 * at).throw(10 + at, 'Held: k1')
      }
    })

  it('are shown once if their replies are equal', () => {
    const story = storyOf(refused(['nil', 'nil', 'nil', 'nil']))
    expect(story.match(/consumer-3 throws/g)).toHaveLength(1)
    expect(story).toContain('… 3 more attempts get the same reply and end the same way, until 42.0 ms')
  })

  it('are shown separately if a reply differs', () => {
    const story = storyOf(refused(['nil', 'nil', 'other', 'nil']))
    expect(story).toContain(': other')
    expect(story.match(/consumer-3 throws/g)).toHaveLength(2)
  })
})

it('a kind without a section has no page, and a story names no folder', async () => {
  const { insteadOf } = await import('../../src/contract/results/remedy-page.ts')
  expect(insteadOf('repeat-after-loss:flush')).toBe(insteadOf('repeat-after-loss'))
  expect(insteadOf('no-such-kind')).toBeNull()
  expect(storyOf(late(() => {}))).not.toMatch(/\bdocs\//)
})
