import type { Backend } from '../backend.ts'
import { UnsupportedSql } from '../sql-error.ts'
import type { Isolation } from './transaction.ts'
import { setDeferrable, setIsolation, setReadOnly } from './transaction-modes.ts'

/** Executes SET and set_config(). If `value` is null, resets the setting to its initial value. */
export function assignSetting(backend: Backend, name: string, value: string | null, local: boolean): void {
  const { settings } = backend
  const lower = name.toLowerCase()
  const checked = () => (value === null ? null : settings.checked(lower, value))
  switch (lower) {
    case 'transaction_isolation':
      return value === null ? resetIsolation(backend) : setIsolation(backend, checked() as Isolation)
    case 'transaction_read_only':
      if (value !== null) return setReadOnly(backend, checked() === 'on')
      // On a reset, PostgreSQL does not check whether a query has run.
      backend.state.current!.readOnly = false
      return
    case 'transaction_deferrable':
      // The setting is only checked, because deferrable transactions are not simulated.
      return value === null ? undefined : setDeferrable(backend, checked() === 'on')
    default:
      return value === null ? settings.reset(name, local) : settings.set(name, value, local)
  }
}

/**
 * Refuses to reset the isolation level, because PostgreSQL would change it even after the snapshot
 * was taken. @throws UnsupportedSql
 */
function resetIsolation({ state }: Backend): void {
  if (state.current!.isolation !== 'read committed') throw new UnsupportedSql('RESET transaction_isolation')
}
