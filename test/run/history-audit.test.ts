/** Consistent facts of one run, and each kind of inconsistency. */

import { BrokenAssumption } from 'virtual-node/assert'
import { describe, expect, it } from 'vitest'
import type { Fact, HistoryEvent } from '../../src/contract/api/history.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { mustAddUp } from '../../src/run/history-audit.ts'

const [process, key, fingerprint, messageId] = ['consumer-1', 'k', '1', 'message-1']
const receipt = { effectId: 'effect-1', key, payload: 1 }

const started: Fact = { type: 'process-started', process }
const published: Fact = { type: 'published', messageId, key, fingerprint, copy: false }
const delivered: Fact = { type: 'delivered', deliveryId: 1, messageId, key, fingerprint, attempt: 1, process }
const sent: Fact = { type: 'effect-sent', requestId: 1, deliveryId: 1, process, key, fingerprint }
const applied: Fact = { type: 'effect-applied', requestId: 1, process, key, fingerprint, receipt }
const reported: Fact = { type: 'effect-answered', requestId: 1, process, answer: 'receipt' }
const answered: Fact = { type: 'answered', deliveryId: 1, process, outcome: { status: 'retry' } }
const settled: Fact = { type: 'settled', messageId, as: 'done' }
const struck: Fact = { type: 'fault-struck', fault: 'pause', index: 0, sentence: '' }
const healed: Fact = { type: 'fault-healed', fault: 'pause', index: 0, sentence: '' }
const ended: Fact = { type: 'process-ended', process, how: 'crashed' }

const whole = [started, published, delivered, struck, sent, applied, reported, answered, settled, healed, ended]

function audit(facts: readonly Fact[], sink: SinkKind = 'plain', open = 0): void {
  mustAddUp(
    facts.map((fact, seq) => ({ seq, atUs: seq, ...fact }) as HistoryEvent),
    sink,
    open,
  )
}

const without = (...left: readonly Fact[]) => whole.filter((fact) => !left.includes(fact))
const twice = (fact: Fact) => whole.flatMap((one) => (one === fact ? [one, one] : [one]))

it('a whole history is consistent', () => {
  expect(() => audit(whole)).not.toThrow()
  expect(() => audit(without(settled), 'plain', 1)).not.toThrow()
})

describe('a history is inconsistent', () => {
  it.each([
    ['a delivery without its message', without(published)],
    ['the delivery to a process that never started', without(started, ended)],
    ['a delivery with another number', [...without(delivered), { ...delivered, deliveryId: 2 } as Fact]],
    ['a delivery after the settlement', [started, published, settled, delivered]],
    ['an answer without its delivery', without(delivered)],
    ['a second answer', twice(answered)],
    ['an answer of another process', [started, published, delivered, { ...answered, process: 'consumer-2' } as Fact]],
    ['a second settlement', twice(settled)],
    ['an effect without its request', without(sent)],
    ['an effect of another key', [started, sent, { ...applied, key: 'other' } as Fact]],
    ['a second effect of one request', twice(applied)],
    [
      'a refusal beside the effect',
      [...whole, { type: 'effect-refused', requestId: 1, key, reason: 'refused' } as Fact],
    ],
    ['a reused request number', twice(sent)],
    ['a second answer of the sink', twice(reported)],
    ['a process that starts twice', twice(started)],
    ['a process that ends twice', twice(ended)],
    ['a fault that heals without a strike', without(struck)],
    ['a fault that heals twice', twice(healed)],
    ['an open message that the broker has settled', without(settled)],
  ])('when there is %s', (_what, facts) => {
    expect(() => audit(facts)).toThrow(BrokenAssumption)
  })

  it('when time goes back', () => {
    const [first, second] = [
      { ...started, seq: 0, atUs: 5 },
      { ...published, seq: 1, atUs: 4 },
    ] as HistoryEvent[]
    expect(() => mustAddUp([first!, second!], 'plain', 1)).toThrow('forward in time')
  })
})

it('a statement may be committed twice by the layer', () => {
  expect(() => audit(twice(applied), 'transactional')).not.toThrow()
})
