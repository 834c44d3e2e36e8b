import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

/**
 * Collects the errors with which the server ends the session: 57P05 after idle_session_timeout, as
 * in PostgreSQL 15.
 */
function terminated(lab: Lab, name: string): string[] {
  const said: string[] = []
  lab.session(name).client = {
    terminated: ({ severity, code, message }) => said.push(`${severity} ${code} ${message}`),
  }
  return said
}

it('a session that waits for its client for longer than idle_session_timeout is ended', () => {
  const lab = new Lab()
  const said = terminated(lab, 'one')
  lab.ask('one', "SET idle_session_timeout = '2s'")
  lab.pass(1_999_000)
  lab.ask('one', 'SELECT 1')
  lab.pass(1_999_000)
  expect(said).toEqual([])
  lab.pass(1_000)
  expect(said).toEqual(['FATAL 57P05 terminating connection due to idle-session timeout'])
})

it('idle_session_timeout does not end a session that is in a transaction or executes a statement', () => {
  const lab = new Lab()
  const said = terminated(lab, 'one')
  lab.all('one', "SET idle_session_timeout = '1s'", 'BEGIN')
  lab.pass(5_000_000)
  expect(lab.ask('one', 'COMMIT')).toBe('COMMIT')
  lab.ask('one', 'SELECT pg_sleep(3)')
  lab.pass(2_500_000)
  expect(said).toEqual([])
  lab.pass(1_500_000)
  expect(said).toEqual(['FATAL 57P05 terminating connection due to idle-session timeout'])
})
