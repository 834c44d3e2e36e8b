/**
 * Commands that nodes of a Cluster do not execute: told once for each process until one serves it,
 * and how many.
 */
import { describe, expect, it } from 'vitest'
import { reportStory } from '../../src/report/story.ts'
import { aRun, type HistoryBuilder } from '../check/history-builder.ts'

const moved = 'error MOVED 14254 10.0.0.5:6379'
const down = 'error CLUSTERDOWN The cluster is down'

const asks = (history: HistoryBuilder, reply: string, command = 'SET idem:k1 done', process = 'consumer-1') =>
  history.add({ type: 'command', process, command, reply })

/** One attempt, whose command gets one of these replies after the other. */
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

describe('a command that nodes of a Cluster do not execute', () => {
  it('is told once, with how many more were not, what the nodes said and until when', () => {
    const story = tried([moved, down, moved, down, 'OK'])
    const first = story.findIndex((line) => line.includes(moved))
    expect(refusals(story)).toHaveLength(1)
    expect(story[first + 1]).toBe(
      '… 3 more commands of consumer-1 are not executed (MOVED, CLUSTERDOWN), until 40.0 ms',
    )
    expect(story.some((line) => line.includes('executes SET idem:k1 done for consumer-1: OK'))).toBe(true)
  })

  it('leaves what comes in between where it is, whatever it is', () => {
    const story = tried([moved, moved, moved, moved], (history, n) => {
      if (n === 2) history.at(25).strike('pause', 'consumer-1 stops', 'consumer-1')
    })
    expect(counts(story)).toHaveLength(1)
    expect(story.some((line) => line.includes('consumer-1 stops'))).toBe(true)
  })

  it('is told again once the process was served in between', () => {
    const story = tried([moved, moved, moved, 'OK', down, down, down])
    expect(refusals(story)).toHaveLength(2)
    expect(counts(story)).toEqual([
      '… 2 more commands of consumer-1 are not executed (MOVED), until 30.0 ms',
      '… 2 more commands of consumer-1 are not executed (CLUSTERDOWN), until 70.0 ms',
    ])
  })

  it('is told for each process', () => {
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

  it('is told each time where there are two, which a count would make no shorter', () => {
    const story = tried([moved, down, 'OK'])
    expect(refusals(story)).toHaveLength(2)
    expect(counts(story)).toEqual([])
  })

  it('is told each time where the error is one of an executed command', () => {
    const wrong = 'error WRONGTYPE Operation against a key holding the wrong kind of value'
    const story = tried([wrong, 'error OOM command not allowed', 'error NOSCRIPT No matching script', 'OK'])
    expect(counts(story)).toEqual([])
    expect(story.filter((line) => line.includes(': error '))).toHaveLength(3)
  })
})

describe('attempts of which nothing was executed', () => {
  /** Each on a consumer of its own is sent elsewhere so many times, and gives up. */
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

  it('end in one line where they end alike, however often each was sent elsewhere', () => {
    const story = refused([4, 6, 5], ['no node', 'no node', 'no node'])
    expect(story.filter((line) => / answers retry/.test(line))).toHaveLength(1)
    expect(story.some((line) => line.startsWith('… 2 more attempts get the same reply'))).toBe(true)
    expect(counts(story)).toHaveLength(3)
  })

  it('are told apart where they end otherwise', () => {
    const story = refused([4, 6, 5], ['no node', 'no time', 'no room'])
    expect(story.filter((line) => / answers retry/.test(line))).toHaveLength(3)
  })
})
