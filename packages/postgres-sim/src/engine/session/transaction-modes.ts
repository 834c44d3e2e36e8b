import type { Backend } from '../backend.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { Isolation } from './transaction.ts'

/** @throws SqlError 25001 */
export function setIsolation(backend: Backend, level: Isolation): void {
  const transaction = backend.state.current!
  if (level !== transaction.isolation && transaction.started)
    throw new SqlError('25001', 'SET TRANSACTION ISOLATION LEVEL must be called before any query')
  if (level !== transaction.isolation && transaction.levels.length > 1)
    throw new SqlError('25001', 'SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction')
  transaction.isolation = level
}

/** @throws SqlError 25001 */
export function setReadOnly(backend: Backend, readOnly: boolean): void {
  const transaction = backend.state.current!
  if (!readOnly && transaction.readOnly && transaction.levels.length > 1)
    throw new SqlError('25001', 'cannot set transaction read-write mode inside a read-only transaction')
  if (!readOnly && transaction.readOnly && transaction.started)
    throw new SqlError('25001', 'transaction read-write mode must be set before any query')
  transaction.readOnly = readOnly
}

/** @throws SqlError 25001 */
export function setDeferrable(backend: Backend, deferrable: boolean): void {
  const transaction = backend.state.current!
  if (transaction.levels.length > 1)
    throw new SqlError('25001', 'SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction')
  if (transaction.started)
    throw new SqlError('25001', 'SET TRANSACTION [NOT] DEFERRABLE must be called before any query')
  if (deferrable) throw new UnsupportedSql('a deferrable transaction')
}
