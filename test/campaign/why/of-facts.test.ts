/** The facts of a live run do not include the executed commands. */
import { describe, expect, it } from 'vitest'
import { whyOfFacts } from '../../../src/campaign/causes/why/why-of-facts.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

function why(kind: string, history: HistoryBuilder, type = 'effect-applied'): string | null {
  const events = history.events.flatMap((event) => (event.type === type ? [event.seq] : []))
  return whyOfFacts(history, { kind, key: 'k1', sentence: 'something happened', events })
}

describe('the cause of a violation on real servers', () => {
  it('is the death of a process after it had sent the effect', () => {
    const died = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).crash('a').deliver(2, 'm1', 'b', 2)
    died.send(2, 2).apply(2)
    const sentence = 'the process died after it had sent the effect, and a later attempt performed again'
    expect(why('repeat-after-crash', died)).toBe(sentence)
    expect(why('duplicate', died)).toBeNull()
  })

  it('is an answer of the sink that was an error or came too late', () => {
    const reported = (answer: 'error' | 'receipt' | null) => {
      const run = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1)
      if (answer !== null) run.notifyCaller(1, answer)
      run.throw(1).deliver(2, 'm1', 'b', 2).send(2, 2).apply(2)
      return why('repeat-after-error', run)
    }
    expect(reported('error')).toContain(
      "the sink's answer to the first attempt was an error, though the effect was applied",
    )
    expect(reported(null)).toContain('the first attempt gave up before the sink had answered it')
    expect(reported('receipt')).toBeNull()
  })

  it('is not an error of the sink after the first attempt had given up', () => {
    const reported = (when: 'before it ends' | 'after it ends' | 'after the repeat') => {
      const run = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1)
      if (when === 'before it ends') run.notifyCaller(1, 'error')
      run.answer(1, { status: 'retry' })
      if (when === 'after it ends') run.notifyCaller(1, 'error')
      run.deliver(2, 'm1', 'b', 2).send(2, 2)
      if (when === 'after the repeat') run.notifyCaller(1, 'error')
      return why('repeat-after-error', run.apply(2))
    }
    const gaveUp = 'the first attempt gave up before the sink had answered it, and a later attempt performed again'
    expect(reported('before it ends')).toContain('was an error')
    expect(reported('after it ends')).toBe(gaveUp)
    expect(reported('after the repeat')).toBe(gaveUp)
  })

  it('is a paused attempt', () => {
    const late = (pauses: boolean) => {
      const run = aRun().publish('m1').deliver(1, 'm1', 'a')
      if (pauses) run.pause('a')
      run.deliver(2, 'm1', 'b', 2).send(2, 2).apply(2).done(2).send(1, 1).apply(1)
      return why('zombie', run)
    }
    expect(late(true)).toBe('an attempt stalled, and sent its effect after a later attempt had sent its own')
    expect(late(false)).toBeNull()
  })

  it('is a loss of data that the violation shows', () => {
    const lost = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1).loseData('flush', ['k1'])
    lost.deliver(2, 'm1', 'b', 2).send(2, 2).apply(2)
    const events = lost.events.flatMap(({ type, seq }) => (/effect-applied|data-lost/.test(type) ? [seq] : []))
    const violation = { kind: 'repeat-after-loss:flush', key: 'k1', sentence: '', events }
    expect(whyOfFacts(lost, violation)).toContain('Redis was emptied')
  })

  it('is not an expiry, which a server may report much later', () => {
    const expired = aRun().publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b', 2).send(1, 1).apply(1)
    expired.loseData('expiry', ['k1']).send(2, 2).apply(2)
    expect(why('duplicate', expired)).toBeNull()
    expect(why('zombie', expired)).toBeNull()
  })

  it('is not a command, because live runs record none', () => {
    const twice = aRun().publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b', 2)
    twice.send(1, 1).apply(1).send(2, 2).apply(2)
    expect(why('duplicate', twice)).toBeNull()
  })
})
