import type { Reply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { pathOf } from '../../../src/campaign/causes/path-of.ts'
import { newCoverageOf } from '../../../src/campaign/tally/new-coverage.ts'
import type { Fact, History, HistoryEvent } from '../../../src/contract/api/history.ts'

function history(...facts: Fact[]): History {
  const events = facts.map((fact, seq) => ({ ...fact, seq, atUs: seq }) as HistoryEvent)
  return { header: {} as History['header'], events }
}

const delivered = (process: string, key: string, deliveryId: number): Fact => {
  return { type: 'delivered', deliveryId, messageId: 'm', key, fingerprint: '', attempt: 1, process }
}
const answered = (process: string, deliveryId: number): Fact => {
  return { type: 'answered', deliveryId, process, outcome: { status: 'retry' } }
}
const command = (process: string, label: string, seq: number, reply: Reply = null, args = [label]) => {
  return { process, label, seq, reply, args }
}
const at = (...events: number[]) => ({ kind: 'duplicate', key: 'k', sentence: '', events })

describe('the path of a violation', () => {
  const two = history(delivered('a', 'k', 1), delivered('b', 'other', 2), answered('a', 1), delivered('a', 'k', 3))

  it('has the commands of processes that work on its key, each once, sorted', () => {
    const executed = [command('a', 'SET', 1), command('a', 'GET', 2), command('a', 'GET', 2)]
    expect(pathOf({ history: two, executed }, at())).toEqual(['GET', 'SET'])
  })

  it('leaves out other keys, processes that have answered, and commands after the violation', () => {
    const executed = [command('b', 'B', 2), command('a', 'LATE', 3), command('a', 'AFTER', 4)]
    expect(pathOf({ history: two, executed }, at(2))).toEqual([])
    expect(pathOf({ history: two, executed }, at())).toEqual(['AFTER'])
  })

  it('leaves out commands that a working process sent after it, before the next fact', () => {
    const three = history(delivered('a', 'k', 1), delivered('b', 'k', 2), answered('b', 2))
    const executed = [command('a', 'GET', 1), command('a', 'DEL', 2)]
    expect(pathOf({ history: three, executed }, at(1))).toEqual(['GET'])
  })

  it('leaves out processes that have ended', () => {
    const dead = history(delivered('a', 'k', 1), { type: 'process-ended', process: 'a', how: 'crashed' })
    expect(pathOf({ history: dead, executed: [command('a', 'GET', 2)] }, at())).toEqual([])
  })

  it('has all commands if no key is to blame', () => {
    const executed = [command('b', 'B', 2), command('a', 'A', 3)]
    expect(pathOf({ history: two, executed }, { ...at(), key: null })).toEqual(['A', 'B'])
  })
})

describe('the new coverage of a run', () => {
  const struck: Fact = { type: 'fault-struck', fault: 'pause', index: 0, sentence: '', process: 'a' }
  const run = (facts: Fact[], label: string | null = 'GET') => {
    return { history: history(...facts), cells: ['answered'], strikes: [{ index: 0, label }] }
  }

  it('has goals, crash points, and faults by command and outcome of the delivery', () => {
    expect(newCoverageOf(run([struck, answered('a', 1)]), ['a-goal'])).toEqual([
      'goal a-goal',
      'crash at answered',
      'pause × GET × retry',
    ])
  })

  it('distinguishes strikes by command and by outcome', () => {
    const died: Fact = { type: 'process-ended', process: 'a', how: 'died' }
    expect(newCoverageOf(run([struck, died]), [])).toContain('pause × GET × died')
    expect(newCoverageOf(run([struck, answered('b', 1)], null), [])).toContain('pause × no command × unanswered')
  })
})
