/**
 * A made-up run: a lock of 100 ms, a holder that is paused, a second holder, and two effects, with
 * the data of a run trace.
 */
import { judge } from '../../../src/check/index.ts'
import { invariantNames, type Violation } from '../../../src/contract/api/verdict.ts'
import type { CommandTrace, RunTrace } from '../../../src/contract/results/run-trace.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

export const ms = (n: number): number => n * 1000

/** `paused`: the first holder is paused for longer than its lock lasts. */
export function lockedRun(paused = true): HistoryBuilder {
  const run = aRun().publish('m1').at(1).deliver(1, 'm1', 'consumer-1').at(3)
  run.add({ type: 'command', process: 'consumer-1', command: 'SET lock:k1 a NX PX 100', reply: 'OK' }).at(4)
  if (!paused) return run.send(1, 1).at(10).apply(1).at(11).done(1).settle('m1', 'done').rest()
  run.strike('pause', 'consumer-1 stops, for 2 s', 'consumer-1').at(200).deliver(2, 'm1', 'consumer-2', 2).at(203)
  run.add({ type: 'command', process: 'consumer-2', command: 'SET lock:k1 b NX PX 100', reply: 'OK' }).at(205)
  run.send(2, 2).at(210).apply(2).at(211).done(2).settle('m1', 'done').at(2004)
  run.heal('pause', 'consumer-1 goes on').send(1, 1).at(2010).apply(1).at(2011).done(1)
  return run.rest()
}

export function violationIn(history: HistoryBuilder): Violation {
  const found = judge(history, invariantNames).flatMap(({ verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations : [],
  )
  return found[0]!
}

const seqOf = (history: HistoryBuilder, text: string): number =>
  history.events.find((event) => event.type === 'command' && event.command.startsWith(text))?.seq ?? -1

/** One server and correct clocks by default. */
export function runTraceOf(history: HistoryBuilder, changes: Partial<RunTrace> = {}): RunTrace {
  const command = (process: string, value: string, at: number): CommandTrace => {
    const times = { sentUs: ms(at - 1), executedUs: ms(at), repliedUs: ms(at + 0.5), lostUs: null }
    return { process, node: 'redis', label: 'SET', seq: seqOf(history, `SET lock:k1 ${value}`), ...times }
  }
  const commands = [command('consumer-1', 'a', 3), command('consumer-2', 'b', 203)].filter(({ seq }) => seq !== -1)
  const keys = commands.map(({ seq, executedUs }, by) => {
    const at = { atUs: executedUs!, seq: seq!, expireAtMs: executedUs! / 1000 + 100 }
    return { ...at, node: 'redis', key: 'lock:k1', value: by === 0 ? 'a' : 'b', by }
  })
  return {
    beganMs: 0,
    consumers: ['consumer-1', 'consumer-2'],
    servers: ['redis'],
    stores: [],
    hasSeveralPrimaries: false,
    sentinels: [],
    words: [],
    questions: [],
    commands,
    scripts: [],
    keys,
    roles: [{ atUs: 0, seq: -1, node: 'redis', role: 'primary' }],
    clocks: [],
    ...changes,
  }
}
