import { describe, expect, it } from 'vitest'
import { Lab } from './lab.ts'

const lock = (table: string, mode: string) => `LOCK TABLE ${table} IN ${mode} MODE`

describe('a cycle of waiting sessions', () => {
  /**
   * Two held read locks, two exclusive requests behind them, and two more read requests behind the
   * exclusive requests. The deadlock_timeout is 10 s for all sessions except `two`, which has 10
   * ms.
   */
  function crossed(): Lab {
    const lab = new Lab()
    lab.all('one', 'CREATE TABLE a ()', 'CREATE TABLE b ()')
    for (const name of ['one', 'two', 'three', 'four']) lab.all(name, "SET deadlock_timeout = '10s'", 'BEGIN')
    lab.ask('two', "SET deadlock_timeout = '10ms'")
    lab.all('one', lock('a', 'ACCESS SHARE'))
    lab.all('two', lock('b', 'ACCESS SHARE'))
    lab.all('three', lock('a', 'ACCESS EXCLUSIVE'))
    lab.all('four', lock('b', 'ACCESS EXCLUSIVE'))
    return lab
  }

  it('is resolved by reordering a queue if possible: the queue farthest from the session that checks', () => {
    const lab = crossed()
    expect(lab.ask('one', lock('b', 'ACCESS SHARE'))).toBe('waits')
    expect(lab.ask('two', lock('a', 'ACCESS SHARE'))).toBe('waits')
    lab.pass(10_000)
    expect(lab.later('one')).toBe('LOCK TABLE')
    expect(lab.later('two')).toBeUndefined()
    const { database } = lab
    const waitsFor = (name: string) => database.blockedBy(lab.session(name).processId)
    expect(waitsFor('four')).toEqual([lab.session('two').processId, lab.session('one').processId])
    expect(waitsFor('two')).toEqual([lab.session('three').processId])
  })

  it('makes a session that the reordering woke wait normally if the session requests the same lock again', () => {
    const lab = new Lab()
    lab.all('one', 'SELECT pg_advisory_lock_shared(1)')
    lab.all('two', 'SELECT pg_advisory_lock(2)')
    expect(lab.ask('three', 'SELECT pg_advisory_lock(1)')).toBe('waits')
    const more = 'SELECT pg_advisory_lock_shared(1), pg_advisory_unlock(2), pg_advisory_lock(1)'
    expect(lab.ask('two', more)).toBe('waits')
    expect(lab.ask('one', 'SELECT pg_advisory_lock(2)')).toBe('waits')
    lab.pass(1_500_000)
    lab.all('one', 'SELECT pg_advisory_unlock_shared(1)')
    lab.pass(30_000_000)
    expect(lab.later('two')).toBeDefined()
    expect(lab.database.blockedBy(lab.session('three').processId)).toEqual([lab.session('two').processId])
  })

  it('has a victim if no order of the queues resolves it', () => {
    const lab = crossed()
    lab.all('one', lock('b', 'ACCESS EXCLUSIVE'))
    lab.all('two', lock('a', 'ACCESS EXCLUSIVE'))
    lab.pass(10_000)
    expect(lab.later('two')).toBe('40P01 deadlock detected')
  })
})

describe('two sessions that share a lock and both request a stronger mode', () => {
  it('the second session fails immediately, without waiting for a deadlock_timeout', () => {
    const lab = new Lab()
    const [shared, alone] = ['SELECT pg_advisory_xact_lock_shared(7)', 'SELECT pg_advisory_xact_lock(7)']
    lab.all('one', 'BEGIN', shared)
    lab.all('two', 'BEGIN', shared)
    expect(lab.ask('one', alone)).toBe('waits')
    lab.pass(500_000)
    const error = lab.error('two', alone)
    expect(error.message).toBe('deadlock detected')
    const [one, two] = [lab.session('one').processId, lab.session('two').processId]
    expect(error.fields.detail?.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^Process ${two} waits for ExclusiveLock on .*; blocked by process ${one}\\.$`)),
      expect.stringMatching(new RegExp(`^Process ${one} waits for ExclusiveLock on .*; blocked by process ${two}\\.$`)),
    ])
    expect(lab.later('one')).toBe('SELECT 1: ')
  })

  it('a session that does not hold the lock queues behind the waiting sessions', () => {
    const lab = new Lab()
    lab.all('one', 'BEGIN', 'SELECT pg_advisory_xact_lock_shared(7)')
    expect(lab.ask('two', 'SELECT pg_advisory_xact_lock(7)')).toBe('waits')
    expect(lab.ask('three', 'SELECT pg_advisory_xact_lock(7)')).toBe('waits')
  })
})
