/** Attempts that perform although the store has not answered. */
import { ErrorReply, OK, type Reply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { remedyOf } from '../../../src/check/remedies.ts'
import { story } from './story.ts'

const claim = 'SET k1 mine PX 60000 NX'

/** `first` and `next`: the replies to the claims; undefined if Redis never executed the claim. */
function twice(first: Reply | undefined, next: Reply | undefined, waits: readonly (1 | 2)[], more: string[] = []) {
  const { history, command, why } = story()
  history.publish('m1')
  for (const [id, process, reply] of [[1, 'a', first] as const, [2, 'b', next] as const]) {
    history.deliver(id, 'm1', process, id)
    if (id === 2) for (const words of more) command(process, words, null)
    if (reply !== undefined) command(process, claim, reply)
    history.send(id, id)
    const unanswered = { args: claim.split(' '), forUs: 500_000 }
    if (waits.includes(id)) Object.assign(history.events.at(-1)!, { unanswered })
    history.apply(id)
  }
  return why('duplicate')
}

describe('an attempt that called the sink without an answer', () => {
  const sentence = 'the next attempt called the sink 500 ms after its SET NX, without an answer to that'

  it.each([[undefined], [null], [OK]])('is the reason, whatever became of its claim: %s', (reply) => {
    expect(twice(OK, reply as Reply | undefined, [2])).toBe(sentence)
    expect(remedyOf('duplicate', null, sentence)!.id).toBe('no-answer')
  })

  it('is not the reason if it had the answer', () => {
    expect(twice(OK, null, [])).not.toMatch(/without an answer/)
  })

  it('is not the reason if an earlier reply let it perform', () => {
    expect(twice(OK, undefined, [2], ['GET k1'])).not.toMatch(/without an answer/)
  })

  it('is the reason if it was the first, and left no claim', () => {
    expect(twice(undefined, OK, [1])).toBe(
      'the first attempt called the sink 500 ms after its SET NX, without an answer to that; SET NX of the next one found nothing',
    )
    expect(twice(OK, OK, [1])).not.toMatch(/found nothing$/)
  })
})

describe('an attempt that received an error', () => {
  const sentence = 'SET NX of the next attempt was answered error LOADING, and it performed anyway'
  const loading = new ErrorReply('LOADING Redis is loading the dataset in memory')

  it('is the reason if it performed anyway', () => {
    expect(twice(OK, loading, [])).toBe(sentence)
    expect(remedyOf('zombie', null, sentence)!.id).toBe('no-answer')
    expect(twice(OK, null, [])).not.toMatch(/error/)
  })
})
