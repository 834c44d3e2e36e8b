import { ErrorReply, MapReply, nullArray, OK, type Reply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { decidingCommand, decidingStep, replyClass } from '../../../src/campaign/causes/deciding-step.ts'
import type { Violation } from '../../../src/contract/api/verdict.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

/** A history with the commands that Redis executed in the meantime. */
function story() {
  const history = aRun()
  const executed: { process: string; label: string; seq: number; args: string[]; reply: Reply }[] = []
  const command = (process: string, words: string, reply: Reply) => {
    const args = words.split(' ')
    executed.push({ process, label: args[0]!, seq: history.events.length, args, reply })
  }
  return { history, executed, command }
}

const twice = (history: HistoryBuilder, kind = 'duplicate'): Violation => {
  const events = history.events.filter(({ type }) => type === 'effect-applied').map(({ seq }) => seq)
  return { kind, key: 'k1', sentence: '', events }
}

describe('the step that decided a violation', () => {
  it('is the last command of the later request’s attempt before it called the sink', () => {
    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
    command('a', 'SET k1', OK)
    history.send(1, 1).apply(1)
    command('b', 'SET k1', null)
    command('b', 'GET k1', null)
    history.send(2, 2).apply(2)
    command('b', 'SET k1 done', OK)
    expect(decidingStep({ history, executed }, twice(history))).toBe('SET: nothing, then GET: nothing')
    expect(decidingStep({ history, executed: executed.slice(0, 1) }, twice(history))).toBeNull()
  })

  it('knows whether another attempt has answered done since it began', () => {
    const late = (isLate: boolean) => {
      const { history, executed, command } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
      command('b', 'GET k1', null)
      if (!isLate) command('b', 'SET k1 taken', OK)
      history.send(1, 1).apply(1).done(1)
      if (isLate) command('b', 'SET k1 taken', OK)
      history.send(2, 2).apply(2)
      return decidingStep({ history, executed }, twice(history))
    }
    expect(late(true)).toBe('SET: OK, done meanwhile')
    expect(late(false)).toBe('SET: OK')

    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1).deliver(2, 'm1', 'b')
    command('b', 'SET k1 taken', OK)
    history.send(2, 2).apply(2)
    expect(decidingStep({ history, executed }, twice(history))).toBe('SET: OK')
  })

  it('omits that if the command wrote only if the key was missing', () => {
    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').send(1, 1).apply(1).done(1)
    command('b', 'SET k1 taken NX', OK)
    history.send(2, 2).apply(2)
    expect(decidingStep({ history, executed }, twice(history))).toBe('SET: OK')
  })

  it('is not a claim that was refused to another delivery of the same process', () => {
    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').deliver(3, 'm1', 'b').send(1, 1).apply(1)
    command('b', 'SET k1 taken NX', OK)
    command('b', 'SET k1 taken NX', null)
    history.send(2, 2).apply(2)
    expect(decidingStep({ history, executed }, twice(history))).toBe('SET: OK')
  })

  it('is the read alone if the refused claim before it may belong to another delivery of the process', () => {
    const decided = (isOpen: boolean) => {
      const { history, executed, command } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').send(1, 1).apply(1)
      if (isOpen) history.deliver(3, 'm1', 'b')
      command('b', 'SET k1 taken NX', null)
      if (isOpen) history.answer(3, { status: 'retry' })
      command('b', 'GET k1', null)
      history.send(2, 2).apply(2)
      return decidingStep({ history, executed }, twice(history))
    }
    expect(decided(true)).toBe('GET: nothing')
    expect(decided(false)).toBe('SET: nothing, then GET: nothing')
  })

  it('is the read alone if the refused claim was sent again and granted', () => {
    const decided = (name: string, reply: Reply) => {
      const { history, executed, command } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').send(1, 1).apply(1)
      command('b', 'SET lock:k1 taken NX', null)
      command('b', `SET ${name} taken NX`, reply)
      command('b', 'GET done:k1', null)
      history.send(2, 2).apply(2)
      return decidingStep({ history, executed }, twice(history))
    }
    expect(decided('lock:k1', OK)).toBe('GET: nothing')
    expect(decided('lock:k1', null)).toBe('SET: nothing, then GET: nothing')
    expect(decided('mark:k1', OK)).toBe('SET: nothing, then GET: nothing')
  })

  it('may belong to any other delivery of the process if the command names no message', () => {
    const isShared = (words: string, key = 'k2') => {
      const { history, executed, command } = story()
      history.publish('m1').publish('m2', { key }).deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').deliver(3, 'm2', 'b')
      history.send(1, 1).apply(1)
      command('b', words, 0)
      history.send(2, 2).apply(2)
      return decidingCommand({ history, executed }, twice(history))!.shared
    }
    expect(isShared('SETBIT seen 57889 1')).toBe(true)
    expect(isShared('SETBIT seen:k1 7 1')).toBe(false)
    expect(isShared('SETBIT seen:k1 7 1', 'k1')).toBe(true)
  })

  it('is the same with and without traces: a read before a claim that was refused later', () => {
    const decided = (traced: boolean) => {
      const { history, executed, command } = story()
      const traces = () => traced && history.add({ type: 'network', process: 'b', text: '' })
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').deliver(3, 'm1', 'b').send(1, 1).apply(1)
      command('b', 'GET k1', null)
      traces()
      command('b', 'SET k1 taken NX', null)
      traces()
      history.send(2, 2).apply(2)
      return decidingStep({ history, executed }, twice(history))
    }
    expect(decided(false)).toBe('GET: nothing')
    expect(decided(true)).toBe('GET: nothing')
  })

  it('ignores what the process did for another key', () => {
    const { history, executed, command } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a').deliver(2, 'm2', 'a')
    command('a', 'GET lock:k1', null)
    command('a', 'GET lock:k2', 'held')
    history.send(1, 1).apply(1)
    expect(decidingStep({ history, executed }, twice(history))).toBe('GET: nothing')
  })

  it('distinguishes keys that contain each other', () => {
    const decided = (key: string, isHandedBoth: boolean) => {
      const { history, executed, command } = story()
      history.publish('m1', { key: 'order:1' }).publish('m2', { key: 'order:1:lock' })
      history.deliver(1, key === 'order:1' ? 'm1' : 'm2', 'a')
      if (isHandedBoth) history.deliver(2, key === 'order:1' ? 'm2' : 'm1', 'a')
      command('a', 'GET seen:order:1', 'own')
      command('a', 'GET seen:order:1:lock', 'longest')
      history.send(1, 1).apply(1)
      return decidingStep({ history, executed }, { ...twice(history), key })
    }
    expect(decided('order:1:lock', true)).toBe('GET: longest')
    expect(decided('order:1', true)).toBe('GET: own')
    // The process never received the other key, so the longer name is the lock of this key.
    expect(decided('order:1', false)).toBe('GET: longest')
    expect(decided('order:1:lock', false)).toBe('GET: longest')
  })

  it('finds non-ASCII keys in the bytes of a command', () => {
    const { history, executed, command } = story()
    history.publish('m1', { key: 'caf\u00e9' }).publish('m2', { key: 'cafe\u0301' })
    history.deliver(1, 'm1', 'a').deliver(2, 'm2', 'a')
    const bytes = (text: string) => Buffer.from(text).toString('latin1')
    command('a', `GET ${bytes('lock:caf\u00e9')}`, null)
    command('a', `GET ${bytes('lock:cafe\u0301')}`, 'held')
    history.send(1, 1).apply(1)
    expect(decidingStep({ history, executed }, twice(history))).toBe('GET: nothing')
  })

  it('is the step of the answer if an answer is to blame', () => {
    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET k1', 'done')
    history.done(1)
    const wrong = { kind: 'done-without-effect', key: 'k1', sentence: '', events: [history.events.length - 1] }
    command('a', 'GET k1', 'later')
    expect(decidingStep({ history, executed }, wrong)).toBe('GET: done')
  })

  it('reads no state from the name of a field', () => {
    const read = (reply: Reply) => {
      const { history, executed, command } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'HGETALL k1', reply)
      history.send(1, 1).apply(1)
      return decidingStep({ history, executed }, twice(history))
    }
    expect(read(['owner', 'worker', 'until', '12'])).toBe('HGETALL: a value')
    expect(read(['owner', 'worker', 'status', 'held'])).toBe('HGETALL: held')
    expect(read([])).toBe('HGETALL: an empty list')
  })

  it('is missing if no attempt is to blame', () => {
    const { history, executed, command } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET k1', null)
    history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1 })
    expect(decidingStep({ history, executed }, { kind: 'x', key: null, sentence: '', events: [2] })).toBeNull()
  })

  it.each<[Reply, string]>([
    [null, 'nothing'],
    [nullArray, 'nothing'],
    [OK, 'OK'],
    [0, '0'],
    [-2, '-2'],
    [17, 'a number'],
    ['PROCESSING', 'PROCESSING'],
    ['done:{"effectId":1}', 'done'],
    ['{"status":"COMPLETED","result":1}', 'COMPLETED'],
    // The status inside a stored result is not the status of the record.
    ['done:{"status":"shipped"}', 'done'],
    ['{"result":{"status":"shipped"},"state":"done"}', 'done'],
    ['{"result":{"status":"shipped"}}', 'a value'],
    ['{"state":1}', 'a value'],
    ['null', 'null'],
    ['d1f7c7f0-2a6b', 'a value'],
    [new ErrorReply('OOM command not allowed'), 'error OOM'],
    [['held', 12], 'held'],
    [[null, null], 'nothing'],
    [[], 'an empty list'],
    [['owner', 'worker', 'state', 'done'], 'done'],
    [new MapReply(['owner', 'worker', 'state', 'done']), 'done'],
    [new MapReply(['owner', 'worker']), 'a value'],
    [[1, 2], 'a list'],
  ])('keeps %j as %j', (reply, kept) => {
    expect(replyClass(reply)).toBe(kept)
  })
})
