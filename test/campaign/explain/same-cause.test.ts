import { describe, expect, it } from 'vitest'
import { isSameCause } from '../../../src/campaign/explain/same-cause.ts'
import type { Cause } from '../../../src/contract/results/results.ts'
import { story } from '../why/story.ts'

const shown = (cause: Partial<Cause> = {}, reason: string | null = 'the claim expired after 10 s, at work') => ({
  cause: {
    invariant: 'at-most-once' as const,
    kind: 'zombie',
    path: ['GET', 'SET'],
    decidedBy: 'SET: OK',
    needs: ['pause'],
    ...cause,
  },
  reason,
})

const isSame = (cause: Partial<Cause>, reason?: string | null) => isSameCause(shown(), shown(cause, reason))

describe('two runs show one cause', () => {
  it('if all that is known is the same, with or without a reason', () => {
    expect(isSame({})).toBe(true)
    expect(isSameCause(shown({}, null), shown({}, null))).toBe(true)
  })

  it('if the reason is the same, with another fault, step or path', () => {
    expect(isSame({ needs: ['slow-effect'] })).toBe(true)
    expect(isSame({ decidedBy: 'GET: nothing' })).toBe(true)
    expect(isSame({ path: ['DEL', 'GET', 'SET'] })).toBe(true)
  })

  it('if they differ only in the consumers involved', () => {
    const freed = (by: string, of: string) => shown({}, `DEL of ${by} freed the claim of ${of}`)
    const one = freed('consumer-1', 'consumer-3')
    expect(isSameCause(one, { ...freed('consumer-2.1', 'consumer-1'), cause: shown({ needs: [] }).cause })).toBe(true)
    expect(
      isSameCause(one, { ...shown({ needs: [] }), reason: 'GETDEL of consumer-1 freed the claim of consumer-3' }),
    ).toBe(false)
  })

  it('if only the drawn length of a lease differs', () => {
    expect(isSame({ needs: [] }, 'the claim expired after 5 min, at work')).toBe(true)
  })
})

it('kinds of one invariant are one cause only if the reason is the same bug in each', () => {
  const ofAnyKind = (cause: Partial<Cause>) => ({ ...shown(cause), ofAnyKind: true as const })
  expect(isSameCause(ofAnyKind({}), ofAnyKind({ kind: 'duplicate' }))).toBe(true)
  expect(isSameCause(ofAnyKind({}), shown({ kind: 'duplicate' }))).toBe(false)
  expect(isSameCause(ofAnyKind({}), ofAnyKind({ invariant: 'payload-bound', kind: 'executed' }))).toBe(false)
})

describe('two runs show two causes', () => {
  it('if the reasons differ, or are missing', () => {
    expect(isSame({ needs: ['slow-effect'] }, 'the process died')).toBe(false)
    expect(isSameCause(shown({}, null), shown({ needs: [] }, null))).toBe(false)
  })

  it('if they broke in different ways', () => {
    expect(isSame({ kind: 'duplicate' })).toBe(false)
    expect(isSame({ invariant: 'same-result' })).toBe(false)
  })

  it('if both the step and the path differ', () => {
    expect(isSame({ decidedBy: 'EVALSHA renew: 1', path: ['EVALSHA renew'] })).toBe(false)
  })

  it('if the step says more than the reason, so that a rare bug does not pass for a frequent one', () => {
    expect(isSame({ decidedBy: 'SET: nothing, then GET: nothing' })).toBe(false)
    expect(isSame({ decidedBy: 'SET: OK, done meanwhile' })).toBe(false)
  })
})

describe('a reason that the rules give', () => {
  const isOne = (reasons: readonly (string | null)[]) => {
    const [a, b] = reasons.map((reason, at) => shown({ path: [`EVALSHA ${at}`], needs: [`fault ${at}`] }, reason))
    return isSameCause(a!, b!)
  }

  it('is missing if a message was given up and only the last step is known', () => {
    const givenUp = (fault: 'crash' | 'clock-step', script: boolean) => {
      const { history, command, causeOf } = story()
      const claim = script ? 'EVALSHA acquire 1 k1' : 'SET k1 taken EX 300 NX'
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', claim, script ? 1 : 'OK')
      if (fault === 'clock-step') history.strike('clock-step', "Redis's clock steps back").throw(1)
      else history.crash('a')
      history.deliver(2, 'm1', 'b', 2)
      command('b', claim, script ? 0 : null)
      history.answer(2, { status: 'retry' }).settle('m1', 'given-up').rest()
      return causeOf('given-up', 'settled')
    }
    const [crash, step] = [givenUp('crash', true), givenUp('clock-step', true)]
    expect(step.why).toBe(crash.why)
    expect(crash.why).toBe('the last attempt answered retry, after the script acquire had answered 0')
    expect(isOne([crash.reason, step.reason])).toBe(false)
    // A claim that the rules can read gives a reason.
    const read = givenUp('crash', false).reason
    expect(read).toContain('an attempt died and left its claim behind')
    expect(isOne([read, read])).toBe(true)
  })

  it('is missing if another payload passed: only the step is known', () => {
    const { history, command, causeOf } = story()
    history.publish('m1').publish('m2', { fingerprint: 'pay 2' }).deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1)
    history.deliver(2, 'm2', 'b')
    command('b', 'GET k1', 'COMPLETED')
    history.done(2)
    const { why, reason } = causeOf('answered-as-if-the-same', 'answered')
    expect(why).toContain('GET answered COMPLETED')
    expect(isOne([reason, reason])).toBe(false)
    history.deliver(3, 'm2', 'b')
    command('b', 'SET k1 taken NX', 'OK')
    history.send(2, 3).apply(2)
    const executed = causeOf('executed-with-another-payload')
    expect(executed.why).toContain('the key was free again')
    expect(isOne([executed.reason, executed.reason])).toBe(false)
  })

  it('is missing if a record expired beside an attempt and the deciding step is ambiguous', () => {
    const beside = (deliveries: readonly number[]) => {
      const { history, command, causeOf } = story()
      history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).at(1_000).loseData('expiry', ['lock:k1'])
      for (const one of deliveries) history.deliver(one, 'm1', 'b', one)
      command('b', 'EVALSHA acquire 1 lock:k1', 'held')
      history.send(2, 2).apply(1).apply(2)
      return causeOf('zombie')
    }
    const { why, reason } = beside([2, 3])
    expect(why).toContain('the data of the key expired while an attempt was at work')
    expect(isOne([reason, reason])).toBe(false)
    // With only one delivery, the step is known.
    const known = beside([2]).reason
    expect(known).toContain('expired')
    expect(isOne([known, known])).toBe(true)
  })
})
