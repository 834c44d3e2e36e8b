import { describe, expect, it } from 'vitest'
import { withKeys } from './lab.ts'

const update = (key: string) => `UPDATE t SET n = n + 1 WHERE k = '${key}'`

describe('a session that waits too long', () => {
  it('detects a deadlock after its own deadlock_timeout', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', update('a'))
    lab.all('two', 'BEGIN', update('b'))
    expect(lab.ask('one', update('b'))).toBe('waits')
    lab.pass(500_000)
    expect(lab.ask('two', update('a'))).toBe('waits')
    // The deadlock already exists when the first session checks.
    lab.pass(500_000)
    expect(lab.later('one')).toBe('40P01 deadlock detected')
    expect(lab.later('two')).toBe('UPDATE 1')
  })

  it('fails after lock_timeout or statement_timeout', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', update('a'))
    lab.all('two', "SET lock_timeout = '200ms'")
    lab.all('three', "SET statement_timeout = '0.3s'")
    lab.ask('two', update('a'))
    lab.ask('three', update('a'))
    lab.pass(199_000)
    expect(lab.later('two')).toBeUndefined()
    lab.pass(1_000)
    expect(lab.later('two')).toBe('55P03 canceling statement due to lock timeout')
    lab.pass(100_000)
    expect(lab.later('three')).toBe('57014 canceling statement due to statement timeout')
    expect(lab.ask('three', "SELECT pg_sleep(0.2), 'rested'")).toBe('waits')
    lab.pass(200_000)
    expect(lab.later('three')).toBe('SELECT 1: |rested')
  })

  it('ends its wait after a cancel request, and when its connection is lost', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', update('a'))
    lab.ask('two', update('a'))
    lab.session('two').cancel()
    expect(lab.later('two')).toBe('57014 canceling statement due to user request')
    lab.ask('two', update('a'))
    lab.session('one').end()
    expect(lab.later('two')).toBe('UPDATE 1')
  })

  it('loses its connection and its locks after idle_in_transaction_session_timeout', () => {
    const lab = withKeys()
    lab.all('one', "SET idle_in_transaction_session_timeout = '1min'", 'BEGIN', update('a'))
    const reported: string[] = []
    lab.session('one').client = { terminated: (error) => reported.push(`${error.severity} ${error.code}`) }
    lab.ask('two', update('a'))
    lab.pass(60e6)
    expect(reported).toEqual(['FATAL 25P03'])
    expect(lab.later('two')).toBe('UPDATE 1')
  })
})

describe('advisory locks', () => {
  it('of a session outlive the transaction, and must be released as often as they were acquired', () => {
    const lab = withKeys()
    lab.all('one', 'BEGIN', 'SELECT pg_advisory_lock(7)', 'SELECT pg_advisory_lock(7)', 'ROLLBACK')
    expect(lab.ask('two', 'SELECT pg_try_advisory_lock(7)')).toBe('SELECT 1: f')
    expect(lab.ask('two', 'SELECT pg_advisory_xact_lock(7)')).toBe('waits')
    lab.ask('one', 'SELECT pg_advisory_unlock(7)')
    expect(lab.later('two')).toBeUndefined()
    lab.ask('one', 'SELECT pg_advisory_unlock(7)')
    expect(lab.later('two')).toBe('SELECT 1: ')
    expect(lab.ask('one', 'SELECT pg_advisory_unlock(7)')).toBe('SELECT 1: f')
  })
})
