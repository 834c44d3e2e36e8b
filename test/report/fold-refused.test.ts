/**
 * Commands that Cluster nodes refuse are shown once for each process until one is served, with
 * their count.
 */
import { describe, expect, it } from 'vitest'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

const moved = 'error MOVED 14254 10.0.0.5:6379'
const down = 'error CLUSTERDOWN The cluster is down'

const asks = (history: HistoryBuilder, reply: string, command = 'SET idem:k1 done', process = 'consumer-1') =>
  history.add({ type: 'command', process, command, reply })

/** One attempt whose command gets these replies in order. */
function tried(replies: readonly string[], between: (history: HistoryBuilder, n: number) => void = () => {}) {
  const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1', 1)
  for (const [n, reply] of replies.entries()) {
    between(history, n)
    asks(history.at(10 * (n + 1)), reply)
  }
  history.at(99).settle('m1', 'given-up')
  return reported(history)
}

function reported(history: HistoryBuilder): string[] {
  const violation = { kind: '', key: 'k1', sentence: 'so it is', events: [history.events.length - 1] }
  return reportStory(history, violation).map((line) => line.trim())
}

const refusals = (story: readonly string[]) => story.filter((line) => /MOVED 14254|CLUSTERDOWN The/.test(line))
const counts = (story: readonly string[]) => story.filter((line) => line.includes('are not executed ('))

describe('a command that Cluster nodes refuse', () => {
  it('is shown once, with the number of other refusals, the replies and the end', () => {
    const story = tried([moved, down, moved, down, 'OK'])
    const first = story.findIndex((line) => line.includes(moved))
    expect(refusals(story)).toHaveLength(1)
    expect(story[first + 1]).toBe(
      '… 3 more commands of consumer-1 are not executed (MOVED, CLUSTERDOWN), until 40.0 ms',
    )
    expect(story.some((line) => line.includes('executes SET idem:k1 done for consumer-1: OK'))).toBe(true)
  })

  it('does not fold the other events in between', () => {
    const story = tried([moved, moved, moved, moved], (history, n) => {
      if (n === 2) history.at(25).strike('pause', 'consumer-1 stops', 'consumer-1')
    })
    expect(counts(story)).toHaveLength(1)
    expect(story.some((line) => line.includes('consumer-1 stops'))).toBe(true)
  })

  it('is shown again once the process was served in between', () => {
    const story = tried([moved, moved, moved, 'OK', down, down, down])
    expect(refusals(story)).toHaveLength(2)
    expect(counts(story)).toEqual([
      '… 2 more commands of consumer-1 are not executed (MOVED), until 30.0 ms',
      '… 2 more commands of consumer-1 are not executed (CLUSTERDOWN), until 70.0 ms',
    ])
  })

  it('is shown for each process', () => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1', 1).deliver(2, 'm1', 'consumer-2', 2)
    for (let n = 1; n <= 3; n++) {
      asks(history.at(10 * n), moved)
      asks(history.at(10 * n + 1), down, 'SET idem:k1 done', 'consumer-2')
    }
    history.at(99).settle('m1', 'given-up')
    const story = reported(history)
    expect(refusals(story)).toHaveLength(2)
    expect(counts(story)).toHaveLength(2)
  })

  it('is shown twice if there are only two, because a count would be no shorter', () => {
    const story = tried([moved, down, 'OK'])
    expect(refusals(story)).toHaveLength(2)
    expect(counts(story)).toEqual([])
  })

  it('is shown each time if the error belongs to an executed command', () => {
    const wrong = 'error WRONGTYPE Operation against a key holding the wrong kind of value'
    const story = tried([wrong, 'error OOM command not allowed', 'error NOSCRIPT No matching script', 'OK'])
    expect(counts(story)).toEqual([])
    expect(story.filter((line) => line.includes(': error '))).toHaveLength(3)
  })
})

describe('attempts without an executed command', () => {
  /** Each attempt has its own consumer, is redirected `times` times, and gives up. */
  function refused(times: readonly number[], reasons: readonly string[]) {
    const history = aRun().publish('m1')
    for (const [n, many] of times.entries()) {
      const [id, process] = [n + 1, `consumer-${n + 1}`]
      history.at(10 * id).deliver(id, 'm1', process, id)
      for (let again = 0; again < many; again++) asks(history, moved, 'SET idem:k1 done', process)
      history.answer(id, { status: 'retry', reason: reasons[n]! })
    }
    history.at(99).settle('m1', 'given-up')
    return reported(history)
  }

  it('end in one line if their ends are equal, whatever the number of redirects', () => {
    const story = refused([4, 6, 5], ['no node', 'no node', 'no node'])
    expect(story.filter((line) => / answers retry/.test(line))).toHaveLength(1)
    expect(story.some((line) => line.startsWith('… 2 more attempts get the same reply'))).toBe(true)
    expect(counts(story)).toHaveLength(3)
  })

  it('are shown separately if their ends differ', () => {
    const story = refused([4, 6, 5], ['no node', 'no time', 'no room'])
    expect(story.filter((line) => / answers retry/.test(line))).toHaveLength(3)
  })
})
