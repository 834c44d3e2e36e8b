import { expect, it } from 'vitest'
import { Lab } from './lab.ts'

it.each(['SET transaction_deferrable = on', 'SET TRANSACTION DEFERRABLE'])(
  'a deferrable transaction is reported as not simulated: %s',
  (sql) => {
    const lab = new Lab()
    lab.all('one', 'BEGIN')
    expect(lab.ask('one', sql)).toContain('0A000')
    expect(lab.unsupported).toEqual(['a deferrable transaction'])
  },
)

it('a RESET of the isolation level inside a transaction with another level is reported as not simulated', () => {
  const lab = new Lab()
  lab.all('one', 'BEGIN ISOLATION LEVEL SERIALIZABLE')
  expect(lab.ask('one', "SELECT set_config('transaction_isolation', NULL, true)")).toContain('0A000')
  expect(lab.unsupported).toEqual(['RESET transaction_isolation'])
})
