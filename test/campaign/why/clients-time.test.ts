/** Scripts that compare times from their clients. */
import { createHash } from 'node:crypto'
import { ErrorReply, type Reply } from 'redis-sim/resp'
import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import { story } from './story.ts'

const leaseMs = 300_000
const iso = (ms: number): string => new Date(epochMs + ms).toISOString()
const seconds = (ms: number): string => String(Math.floor((epochMs + ms) / 1000))

/** Grants the key if the stored deadline is over by the time that the client passes. */
const compares = `-- acquire
local untilWhen = redis.call('GET', KEYS[1])
if untilWhen and ARGV[2] < untilWhen then return 'held' end
redis.call('SET', KEYS[1], ARGV[1], 'EX', 3600)
return 'acquired'`
/** Takes the same arguments, and always grants the key. */
const trusts = `-- acquire
redis.call('SET', KEYS[1], ARGV[1], 'EX', 3600)
return 'acquired'`

interface Asked {
  /** The client’s clock in milliseconds since the start of the run. */
  readonly passes: number
  readonly atMs: number
}

/** Parameters of a fault in a plan. */
type ClockFault = { readonly kind: string; readonly byMs?: number; readonly percent?: number }

const behind: ClockFault = { kind: 'clock-step', byMs: -400_000 }
const ahead: ClockFault = { kind: 'clock-step', byMs: 400_000 }

/**
 * Two attempts that were both granted the key. `skewed`: the process whose clock a fault changed.
 * `fault`: that fault as planned. `ofTwo`: the second process had received the key again when it
 * called the sink.
 */
function letIn(
  first: Asked,
  again: Asked,
  { body = compares, skewed = '', text = iso, kind = 'duplicate', fault = behind, ofTwo = false } = {},
): string {
  const { history, executed, why } = story({ plan: { faults: [fault] } })
  const acquire = (process: string, { passes, atMs }: Asked, sent: readonly string[]) => {
    const args = [...sent, '1', 'lock:k1', text(passes + leaseMs), text(passes)]
    history.at(atMs).add({ type: 'log', process, stream: 'stdout', text: 'asks' })
    executed.push({ process, label: 'EVALSHA acquire', seq: history.events.length, args, reply: 'acquired' })
  }
  history.publish('m1').publish('m2')
  if (skewed !== '') history.strike(fault.kind, 'a clock goes wrong', skewed)
  history.deliver(1, 'm1', 'a')
  acquire('a', first, ['EVAL', body])
  history.send(1, 1).deliver(2, 'm2', 'b')
  acquire('b', again, ['EVALSHA', createHash('sha1').update(body).digest('hex')])
  if (ofTwo) history.deliver(3, 'm2', 'b', 2)
  history.send(2, 2, { unknownDelivery: ofTwo }).apply(1).apply(2)
  // The newer delivery handles the third effect, so the other effect belongs to the older delivery.
  if (ofTwo) history.notifyCaller(2, 'receipt').answer(2, { status: 'retry' }).send(3, 3)
  return why(kind)
}

describe('the cause of two attempts that a script granted by times from their clients', () => {
  it('omits the time if either of two deliveries in the process may have called the sink', () => {
    const said = (ofTwo: boolean) =>
      letIn({ passes: 0, atMs: 0 }, { passes: 401_000, atMs: 1000 }, { skewed: 'b', fault: ahead, ofTwo })
    expect(said(false)).toContain('decided by a time that its client passed')
    expect(said(true)).not.toContain('went by a time')
  })

  it('is the clock of the asking client if it was ahead', () => {
    const said = letIn({ passes: 0, atMs: 0 }, { passes: 401_000, atMs: 1000 }, { skewed: 'b', fault: ahead })
    expect(said).toBe(
      'the script acquire decided by a time that its client passed, which was 400 s ahead, because the clock there was wrong: by the true time it would have answered held',
    )
  })

  it('is a clock that was ahead by no more than the smallest step of a small run', () => {
    const asks = { passes: leaseMs + 500, atMs: leaseMs - 499.7 }
    const said = letIn({ passes: 0, atMs: 0 }, asks, { skewed: 'b', fault: { kind: 'clock-step', byMs: 1000 } })
    expect(said).toContain('a time that its client passed, which was 1 s ahead, because the clock there was wrong')
    expect(letIn({ passes: 0, atMs: 0 }, asks)).not.toContain('went by a time')
    const nearly = { passes: leaseMs + 200, atMs: leaseMs - 200 }
    const least = { skewed: 'b', fault: { kind: 'clock-step', byMs: 400 } }
    expect(letIn({ passes: 0, atMs: 0 }, nearly, least)).not.toContain('went by a time')
  })

  it('is the clock of the earlier writer if it was behind', () => {
    for (const text of [iso, seconds, (ms: number) => String(epochMs + ms)]) {
      const said = letIn({ passes: -400_000, atMs: 0 }, { passes: 1000, atMs: 1000 }, { skewed: 'a', text })
      expect(said).toBe(
        'the script acquire decided by a time that the client of the other attempt had passed, which was 400 s behind, because the clock there was wrong: by the true time it would have answered held',
      )
    }
  })

  it('is a time that was old when its command was executed, although every clock was right', () => {
    const said = letIn({ passes: 500, atMs: 301_500 }, { passes: 302_000, atMs: 302_000 })
    expect(said).toContain('which was 301 s old when it was executed: by the true time it would have answered held')
  })

  it('is an old time, but not a clock that was off by less or in the other direction', () => {
    const late = [
      { passes: 500, atMs: 301_500 },
      { passes: 302_000, atMs: 302_000 },
    ] as const
    for (const fault of [{ kind: 'clock-step', byMs: 20 }, ahead, { kind: 'clock-drift', percent: 10 }])
      expect(letIn(...late, { skewed: 'a', fault })).toContain('which was 301 s old when it was executed')
  })

  it('is a clock only if the fault can have put it that far off', () => {
    const reported = (fault: ClockFault) =>
      letIn({ passes: 0, atMs: 0 }, { passes: 401_000, atMs: 201_000 }, { skewed: 'b', fault })
    for (const fault of [{ kind: 'clock-drift', percent: 200 }, ahead])
      expect(reported(fault)).toContain('200 s ahead, because the clock there was wrong')
    for (const percent of [60, -60]) expect(reported({ kind: 'clock-drift', percent })).not.toContain('went by a time')
    for (const byMs of [20, -400_000]) expect(reported({ kind: 'clock-step', byMs })).not.toContain('went by a time')
    expect(reported({ kind: 'clock-frozen' })).not.toContain('went by a time')
  })

  it('does not blame a time if the lease was also over by the true time', () => {
    const late = { passes: 302_000, atMs: 302_000 }
    expect(letIn({ passes: 0, atMs: 0 }, late)).not.toContain('went by a time')
    expect(letIn({ passes: -10_000, atMs: 0 }, late, { skewed: 'a' })).not.toContain('went by a time')
  })

  it('does not blame a time if the script compares none, or if no passed time was wrong', () => {
    const off = [
      { passes: -400_000, atMs: 0 },
      { passes: 1000, atMs: 1000 },
    ] as const
    expect(letIn(...off, { skewed: 'a', body: trusts })).not.toContain('went by a time')
    expect(letIn(...off)).not.toContain('went by a time')
    expect(letIn(...off, { skewed: 'b' })).not.toContain('went by a time')
    expect(letIn(...off, { skewed: 'a', text: String })).not.toContain('went by a time')
  })

  it('does not blame a time of an attempt after the first had died or failed', () => {
    const off = [
      { passes: -400_000, atMs: 0 },
      { passes: 1000, atMs: 1000 },
    ] as const
    expect(letIn(...off, { skewed: 'a', kind: 'repeat-after-error' })).not.toContain('went by a time')
  })

  it('does not mistake a produced-at time for the client’s clock', () => {
    /** Both messages have the produced-at time 0. The clock of the second client is 400 s ahead. */
    const reported = (
      body: string,
      passed: (producedAt: number, present: number) => readonly string[],
      producedAtOffMs = 0,
    ) => {
      const { history, executed, why } = story({ plan: { faults: [ahead] } })
      const acquire = (process: string, presentMs: number, producedAt: number, atMs: number) => {
        const args = ['EVAL', body, '1', 'lock:k1', ...passed(epochMs + producedAt, epochMs + presentMs)]
        history.at(atMs).add({ type: 'log', process, stream: 'stdout', text: 'asks' })
        executed.push({ process, label: 'EVALSHA acquire', seq: history.events.length, args, reply: 'acquired' })
      }
      history.publish('m1').at(20).publish('m2', { producedAtOffMs }).strike('clock-step', 'a clock jumps', 'b')
      history.deliver(1, 'm1', 'a')
      acquire('a', 100, 0, 100)
      history.send(1, 1).deliver(2, 'm2', 'b')
      acquire('b', 410_000, producedAtOffMs, 10_000)
      history.send(2, 2).apply(1).apply(2)
      return why('duplicate')
    }
    const bound = `local was = redis.call('GET', KEYS[1])
if was and was ~= ARGV[1] then return 'mismatch' end
redis.call('SET', KEYS[1], ARGV[1], 'EX', 3600)
return 'acquired'`
    const message = (producedAt: number) => [JSON.stringify({ key: 'k1', producedAt })]
    expect(reported(bound, message)).not.toContain('went by a time')

    const withProducedAt = compares
      .replaceAll('ARGV[2]', 'tonumber(ARGV[2])')
      .replace('< untilWhen', '< tonumber(untilWhen)')
    const lease = (producedAt: number, present: number) => [
      String(present + leaseMs),
      String(present),
      String(producedAt),
    ]
    for (const producedAtOffMs of [0, -3000])
      expect(reported(withProducedAt, lease, producedAtOffMs)).toContain(
        'which was 400 s ahead, because the clock there was wrong',
      )
  })

  it('is the same if the server first saw the script by its body', () => {
    const { history, executed, why } = story({ plan: { faults: [ahead] } })
    const sha1 = createHash('sha1').update(compares).digest('hex')
    const ask = (process: string, passes: number, sent: readonly string[], reply: Reply) => {
      const args = [...sent, '1', 'lock:k1', iso(passes + leaseMs), iso(passes)]
      history.add({ type: 'log', process, stream: 'stdout', text: 'asks' })
      executed.push({ process, label: 'EVALSHA acquire', seq: history.events.length, args, reply })
    }
    history.publish('m1').publish('m2').strike('clock-step', 'a clock jumps', 'b').deliver(1, 'm1', 'a').at(1000)
    ask('a', 1000, ['EVALSHA', sha1], new ErrorReply('NOSCRIPT No matching script.'))
    ask('a', 1000, ['EVAL', compares], 'acquired')
    history.send(1, 1).deliver(2, 'm2', 'b').at(2000)
    ask('b', 402_000, ['EVALSHA', sha1], 'acquired')
    history.send(2, 2).apply(1).apply(2)
    expect(why('duplicate')).toContain('which was 400 s ahead, because the clock there was wrong')
  })

  it('ignores what the same process asked the script about another key', () => {
    const { history, executed, why } = story({ plan: { faults: [ahead] } })
    const acquire = (process: string, key: string, passes: number, atMs: number) => {
      const args = ['EVAL', compares, '1', `lock:${key}`, iso(passes + leaseMs), iso(passes)]
      history.at(atMs).add({ type: 'log', process, stream: 'stdout', text: 'asks' })
      executed.push({ process, label: 'EVALSHA acquire', seq: history.events.length, args, reply: 'acquired' })
    }
    history.publish('m1').publish('m2', { key: 'k2' }).publish('m3').publish('m4', { key: 'k2' })
    history.strike('clock-step', 'a clock jumps', 'a').deliver(1, 'm2', 'b')
    acquire('b', 'k2', 0, 0)
    history.deliver(2, 'm1', 'a').deliver(3, 'm4', 'a')
    acquire('a', 'k1', 401_000, 1000)
    acquire('a', 'k2', 402_000, 2000)
    history.at(702_000).deliver(4, 'm3', 'b')
    acquire('b', 'k1', 702_000, 702_000)
    history.send(1, 4).send(2, 2).apply(1).apply(2)
    expect(why('zombie')).not.toContain('went by a time')
  })
})
