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
  it('where all that is known of it is the same, whether the facts give a reason or not', () => {
    expect(isSame({})).toBe(true)
    expect(isSameCause(shown({}, null), shown({}, null))).toBe(true)
  })

  it('where the reason is the same: by another fault, by another step, or along another path', () => {
    expect(isSame({ needs: ['slow-effect'] })).toBe(true)
    expect(isSame({ decidedBy: 'GET: nothing' })).toBe(true)
    expect(isSame({ path: ['DEL', 'GET', 'SET'] })).toBe(true)
  })

  it('if they differ only in which consumers did it', () => {
    const freed = (by: string, of: string) => shown({}, `DEL of ${by} freed the claim of ${of}`)
    const one = freed('consumer-1', 'consumer-3')
    expect(isSameCause(one, { ...freed('consumer-2.1', 'consumer-1'), cause: shown({ needs: [] }).cause })).toBe(true)
    expect(
      isSameCause(one, { ...shown({ needs: [] }), reason: 'GETDEL of consumer-1 freed the claim of consumer-3' }),
    ).toBe(false)
  })

  it('where it differs in nothing but how long a lease was drawn', () => {
    expect(isSame({ needs: [] }, 'the claim expired after 5 min, at work')).toBe(true)
  })
})

it('kinds of one invariant are one cause only if its reason is the same bug in each of them', () => {
  const ofAnyKind = (cause: Partial<Cause>) => ({ ...shown(cause), ofAnyKind: true as const })
  expect(isSameCause(ofAnyKind({}), ofAnyKind({ kind: 'duplicate' }))).toBe(true)
  expect(isSameCause(ofAnyKind({}), shown({ kind: 'duplicate' }))).toBe(false)
  expect(isSameCause(ofAnyKind({}), ofAnyKind({ invariant: 'payload-bound', kind: 'executed' }))).toBe(false)
})

describe('two runs show two causes', () => {
  it('where the reason is another one, or there is none', () => {
    expect(isSame({ needs: ['slow-effect'] }, 'the process died')).toBe(false)
    expect(isSameCause(shown({}, null), shown({ needs: [] }, null))).toBe(false)
  })

  it('where it broke in another way', () => {
    expect(isSame({ kind: 'duplicate' })).toBe(false)
    expect(isSame({ invariant: 'same-result' })).toBe(false)
  })

  it('where both the step and the path are others', () => {
    expect(isSame({ decidedBy: 'EVALSHA renew: 1', path: ['EVALSHA renew'] })).toBe(false)
  })

  it('where the step says more than the reason: another bug would pass for the frequent one', () => {
    expect(isSame({ decidedBy: 'SET: nothing, then GET: nothing' })).toBe(false)
    expect(isSame({ decidedBy: 'SET: OK, done meanwhile' })).toBe(false)
  })
})

describe('a reason that the rules give', () => {
  const isOne = (reasons: readonly (string | null)[]) => {
    const [a, b] = reasons.map((reason, at) => shown({ path: [`EVALSHA ${at}`], needs: [`fault ${at}`] }, reason))
    return isSameCause(a!, b!)
  }

  it('is none where a message was given up and only the last step is known: a crash and a clock step stay two causes', () => {
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
    // A claim that the rules can read is a reason.
    const read = givenUp('crash', false).reason
    expect(read).toContain('an attempt died and left its claim behind')
    expect(isOne([read, read])).toBe(true)
  })

  it('is none where another payload passed: what is known is the step, whether or not the layer compares payloads', () => {
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

  it('is none where a record expired beside an attempt, and nobody can tell whose step decided', () => {
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
    // Of one delivery, the question is known.
    const known = beside([2]).reason
    expect(known).toContain('expired')
    expect(isOne([known, known])).toBe(true)
  })
})
