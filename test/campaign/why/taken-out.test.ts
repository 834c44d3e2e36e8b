/** A job was accepted and taken out of its list for good. */
import type { Reply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { noLostMessage } from '../../../src/check/no-lost-message.ts'
import { play } from '../../sim/world-lab.ts'
import { listWorker } from './layers/list-worker.ts'
import { story } from './story.ts'

const job = '{"key":"k1"}'

/** `a` accepts the job, `b` sends the command, and `then` follows. */
function accepted(words: string, reply: Reply, then: (one: ReturnType<typeof story>) => void) {
  const one = story()
  one.history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a')
  one.command('a', `LPUSH jobs ${job}`, 1)
  one.history.add({ type: 'answered', deliveryId: 1, process: 'a', outcome: { status: 'accepted' } })
  one.command('b', words, reply)
  then(one)
  return one.causeOf('accepted-and-forgotten', 'published').reason
}

type Then = Parameters<typeof accepted>[2]
const dies: Then = ({ history }) => history.crash('b')
const loses =
  (command: string): Then =>
  ({ history }) => {
    history.strike('lost-reply').add({ type: 'reply-lost', process: 'b', command })
  }
const asksAndDies =
  (words: string): Then =>
  ({ history, command }) => {
    command('b', words, '{}')
    history.crash('b')
  }
/** `b` sends the command once more. A recorded run has a trace before each command. */
const sendsAgainAndDies =
  (afterMs: number): Then =>
  ({ history, executed, command }) => {
    const trace = { type: 'command', process: 'b', command: 'rpoplpush jobs work', reply: '' } as const
    history.add(trace)
    executed.push({ ...executed.pop()!, seq: history.events.length })
    history.at(afterMs).add(trace)
    command('b', 'RPOPLPUSH jobs work', null)
    history.crash('b')
  }
const nothing: Then = () => {}

describe('a job that was taken out for good', () => {
  it('is reported with the command, the list, and the end of its worker', () => {
    const died = 'its process died, and nothing put it back'
    expect(accepted('RPOP jobs', job, dies)).toBe(`RPOP of b took the job out of jobs, ${died}`)
    expect(accepted('BRPOP urgent jobs 0', ['jobs', job], dies)).toBe(`BRPOP of b took the job out of jobs, ${died}`)
    expect(accepted('ZPOPMIN due', [job, '7'], dies)).toBe(`ZPOPMIN of b took the job out of due, ${died}`)
    expect(accepted(`LREM work 1 ${job}`, 1, loses('LREM'))).toBe(
      'LREM of b took the job out of work, the reply to it was lost, and nothing put it back',
    )
  })

  it('is reported if the reply was lost with those to commands that were sent together', () => {
    const together =
      (process: string, ms: number): Then =>
      ({ history }) => {
        history.add({ type: 'command', process, command: 'rpoplpush jobs work', reply: 'nil' }).at(ms)
        history.strike('lost-reply').add({ type: 'reply-lost', process: 'b', command: 'GET' })
        history.add({ type: 'reply-lost', process: 'b', command: 'RPOPLPUSH' })
      }
    const lost =
      'b had taken the job (RPOPLPUSH), and the reply to that was lost; no worker called the sink for the key'
    expect(accepted('RPOPLPUSH jobs work', job, together('b', 0))).toBe(lost)
    expect(accepted('RPOPLPUSH jobs work', job, together('b', 5))).toBeNull()
    expect(accepted('RPOPLPUSH jobs work', job, together('c', 0))).toBeNull()
  })

  it('shows the command', () => {
    const one = story()
    one.history.publish('m1').deliver(1, 'm1', 'a')
    one.command('b', 'RPOP jobs', job)
    one.history.crash('b')
    const { shown } = one.causeOf('accepted-and-forgotten', 'published')
    expect(shown).toEqual([1, 2])
  })

  it('is not reported if it was put somewhere, was another job, or reached the sink', () => {
    const next =
      (words: string, reply: Reply): Then =>
      (one) => {
        one.history.crash('b')
        one.command('c', words, reply)
      }
    expect(accepted(`LREM work 1 ${job}`, 1, next(`LREM work 1 ${job}`, 0))).toMatch(/^LREM of b took/)
    expect(accepted(`LREM work 1 ${job}`, 1, next(`RPUSH jobs ${job}`, 1))).toBeNull()
    expect(accepted(`LREM work 1 ${job}`, 1, next('LRANGE old 0 -1', [job]))).toBeNull()
    expect(accepted(`LREM work 1 ${job}`, 1, next('EVALSHA back 1 work', 1))).toBeNull()
    expect(accepted(`LREM work 1 ${job}`, 1, next('EVALSHA back 1 other', 1))).toMatch(/^LREM of b took/)
    expect(accepted(`LREM work 1 ${job}`, 0, dies)).toBeNull()
    expect(accepted('RPOP jobs', '{"key":"k2"}', dies)).toBeNull()
    expect(accepted('RPOPLPUSH jobs work', job, dies)).toBe(
      'b had taken the job (RPOPLPUSH) and died before it called the sink; no worker called the sink for the key',
    )
    expect(accepted('RPOPLPUSH jobs work', job, asksAndDies('HGET job:k1 data'))).toBe(
      'b had taken the job (RPOPLPUSH) and died before it called the sink; no worker called the sink for the key',
    )
    expect(accepted('RPOPLPUSH jobs work', job, asksAndDies('HGET job:k2 data'))).toBeNull()
    expect(accepted('RPOPLPUSH jobs work', job, sendsAgainAndDies(0))).toMatch(/ and died before it called the sink; /)
    expect(accepted('RPOPLPUSH jobs work', job, sendsAgainAndDies(5))).toBeNull()
    expect(accepted('RPOPLPUSH jobs work', job, nothing)).toBeNull()
    expect(accepted('RPOP jobs', job, nothing)).toBeNull()
    expect(accepted('RPOP jobs', job, ({ history }) => history.send(1, 1).crash('b'))).toBeNull()
    expect(
      accepted('RPOP jobs', job, (one) => {
        one.command('b', 'GET other', null)
        one.history.crash('b')
      }),
    ).toBeNull()
  })
})

it('a worker that pops a job and dies before the sink is reported, but not one that moves it', async () => {
  const when = { at: 'reply-received', consumer: 0, nth: 1, of: { label: 'RPOP' } } as const
  const judged = async (pops: boolean) => {
    const faults = [{ kind: 'crash', consumer: 0, when, healAfterMs: 1000 } as const]
    const run = await play(listWorker({ pops, idleMs: 5000 }), { faults, untilUs: 600_000_000 })
    const verdict = noLostMessage.judge(run.history)
    return verdict.verdict === 'violated' ? whyOf(attributed(run), verdict.violations[0]!).why : verdict.verdict
  }
  expect(await judged(true)).toBe(
    'RPOP of consumer-1 took the job out of mails, its process died, and nothing put it back',
  )
  expect(await judged(false)).toBe('valid')
})
