import { expect, it } from 'vitest'
import { scopeOf, weightOf } from '../../src/report/weigh-event.ts'
import { aRun } from '../check/history-builder.ts'

/** The weight of a statement without a key, of a process with or without a delivery. */
function weightWith(command: string, reply: string, process = 'a'): number | null {
  const history = aRun().publish('m1').deliver(1, 'm1', 'a').add({ type: 'command', process, command, reply })
  const event = history.events.at(-1)!
  history.done(1)
  const violation = { kind: 'done-without-effect', key: 'k1', sentence: '', events: [history.events.length - 1] }
  return weightOf(event, scopeOf(history, violation, event.seq))
}

it('the rollback of a transaction is always shown', () => {
  expect(weightWith('COMMIT', 'ROLLBACK')).toBe(2)
  expect(weightWith('COMMIT', 'COMMIT')).toBe(4)
  expect(weightWith('"UPDATE t SET n = $1" 1', 'error 40001 could not serialize access')).toBe(2)
  expect(weightWith('"UPDATE t SET n = $1" 1', 'UPDATE 1')).toBe(4)
})

it('deleted rows are always shown, for any process', () => {
  expect(weightWith('"DELETE FROM t WHERE n < $1" 1', 'DELETE 1', 'b')).toBe(2)
  expect(weightWith('"DELETE FROM t WHERE n < $1" 1', 'DELETE 0', 'b')).toBeNull()
  expect(weightWith('"DELETE FROM t WHERE n < $1" 1', 'DELETE 1')).toBe(2)
})
