/** Attempts that could not send any command to their store deferred the message. */
import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { isSameCause } from '../../../src/campaign/explain/same-cause.ts'
import { story } from './story.ts'

const closed = 'Error: The client is closed'

/** Attempts throw these errors in order. `asks`: each sends a command first. */
function putOff(errors: readonly string[], asks = false) {
  const one = story()
  one.history.publish('m1')
  for (const [at, error] of errors.entries()) {
    one.history.deliver(at + 1, 'm1', at % 2 === 0 ? 'a' : 'b', at + 1)
    if (asks) one.command(at % 2 === 0 ? 'a' : 'b', 'SET k1 a NX', OK)
    one.history.add({ type: 'threw', deliveryId: at + 1, process: at % 2 === 0 ? 'a' : 'b', error })
  }
  return one.causeOf('given-up', 'published')
}

describe('attempts that throw before any command', () => {
  const said = `its last attempts threw the same error before a command of theirs was executed: ${closed}`

  it('are reported with the first line of the error', () => {
    expect(putOff([closed, closed, `${closed}\n    at send`])).toMatchObject({ why: said, reason: said })
    expect(putOff(['Error: another', closed, closed, closed]).reason).toBe(said)
  })

  it('are not reported if one sent a command, or if they are too few or differ', () => {
    expect(putOff([closed, closed, closed], true).reason).toBeNull()
    expect(putOff([closed, closed]).reason).toBeNull()
    expect(putOff([closed, closed, 'Error: another']).reason).toBeNull()
    expect(putOff([closed, closed, closed, 'Error: another']).reason).toBeNull()
  })

  it('are one cause, whatever earlier attempts had sent', () => {
    const cause = (path: readonly string[]) => ({
      invariant: 'no-lost-message' as const,
      kind: 'given-up',
      path: [...path],
      decidedBy: null,
      needs: [],
    })
    const shown = { cause: cause(['GET']), reason: said }
    expect(isSameCause(shown, { cause: cause(['SET']), reason: said })).toBe(true)
    expect(isSameCause(shown, { cause: cause(['SET']), reason: said.replace('closed', 'busy') })).toBe(false)
    expect(
      isSameCause({ ...shown, reason: 'other' }, { cause: { ...cause(['SET']), decidedBy: 'SET' }, reason: 'other' }),
    ).toBe(false)
  })
})

it('a client that keeps a dead connection is reported, with how long it kept it', () => {
  const putOffBy = (keptMs: number, process = 'a', asks = false) => {
    const one = story()
    one.history.publish('m1').deliver(1, 'm1', 'a')
    one.history.add({ type: 'fault-struck', fault: 'half-open', index: 0, process, sentence: 'forgotten' })
    one.history.at(keptMs)
    if (asks) one.history.deliver(2, 'm1', 'a', 2)
    if (asks) one.command('a', 'SET k1 a NX', OK)
    one.history.add({ type: 'threw', deliveryId: 1, process: 'a', error: 'Error: read ETIMEDOUT' })
    return one.causeOf('retry-goes-on', 'published').reason
  }
  expect(putOffBy(924_601)).toBe(
    'the connections of a were half-open, and its client closed them only after 924 s (Error: read ETIMEDOUT)',
  )
  expect(putOffBy(5000)).toBeNull()
  expect(putOffBy(924_601, 'b')).toBeNull()
  expect(putOffBy(924_601, 'a', true)).toBeNull()
})

it('a client that keeps a dead connection is reported, even if its attempt went on and answered', () => {
  const putOffBy = (keptMs: number, asksAtOnce = false) => {
    const one = story()
    one.history.publish('m1').deliver(1, 'm1', 'a')
    one.history.add({ type: 'fault-struck', fault: 'half-open', index: 0, process: 'a', sentence: 'forgotten' })
    if (asksAtOnce) one.command('a', 'GET k1', null)
    one.history.at(keptMs).loseData('expiry', ['k1'])
    one.command('a', 'GET k1', null)
    one.history.answer(1, { status: 'retry' })
    return one.causeOf('retry-goes-on', 'answered').reason
  }
  expect(putOffBy(924_601)).toBe('the connections of a were half-open, and its client closed them only after 924 s')
  expect(putOffBy(5000)).toBeNull()
  expect(putOffBy(924_601, true)).toBeNull()
})

describe('an effect that the sink always refused', () => {
  /** `isRefused`: for each call of the sink. */
  const putOff = (isRefused: readonly boolean[], answers = false) => {
    const { history, causeOf } = story()
    history.publish('m1')
    for (const [at, refused] of isRefused.entries()) {
      history.deliver(at + 1, 'm1', 'a', at + 1).send(at + 1, at + 1)
      if (refused) history.refuse(at + 1)
      if (answers) history.answer(at + 1, { status: 'refused' } as never)
      else history.throw(at + 1, 'SinkRefusal: no')
    }
    return causeOf('given-up', 'published').reason
  }

  it('is the reason for the deferred message if no attempt answered refused', () => {
    expect(putOff([true, true])).toBe('the sink refused the effect for good 2 times, and no attempt answered refused')
    expect(putOff([true, true], true)).toBeNull()
    expect(putOff([true, false])).toBeNull()
    expect(putOff([true])).toBeNull()
  })
})
