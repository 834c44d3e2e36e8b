/** Attempts with equal commands, replies and ends are shown once, with their count. */
import { describe, expect, it } from 'vitest'
import { reportStory } from '../../src/report/story.ts'
import { aRun } from '../check/history-builder.ts'

/**
 * Four attempts of one process. The last three give up. Afterwards, a request is answered, and the
 * first attempt finishes.
 */
function counted({ unknownDelivery }: { readonly unknownDelivery: boolean }) {
  const history = aRun().publish('m1')
  for (let n = 1; n <= 4; n++) history.at(n).deliver(n, 'm1', 'consumer-1', n)
  history.at(5).send(1, 4, { unknownDelivery })
  for (let n = 2; n <= 4; n++) history.at(10 * n).answer(n, { status: 'retry' })
  history.at(50).apply(1).notifyCaller(1, 'receipt').at(51).done(1)
  history.at(99).settle('m1', 'given-up')
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
  return reportStory(history, violation).filter((line) => line.includes('more attempt'))
}

describe('attempts that give up while their process has a request in flight', () => {
  it('are shown once if the sender is unknown, because those that ended before the answer did not send it', () => {
    const [line, ...others] = counted({ unknownDelivery: true })
    expect([line, others]).toEqual([expect.stringMatching(/; 2 more attempts .*until 40\.0 ms/), []])
  })

  it('are shown separately if one of them is known to have sent it', () => {
    expect(counted({ unknownDelivery: false })).toEqual([])
  })
})
