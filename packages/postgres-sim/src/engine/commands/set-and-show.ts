import type { Node, VariableSetStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { assignSetting } from '../session/assign-setting.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { setModes } from './transaction-command.ts'

export function setVariable(backend: Backend, node: VariableSetStmt): void {
  const { settings } = backend
  const name = node.name ?? ''
  const local = node.is_local ?? false
  switch (node.kind) {
    case 'VAR_SET_VALUE': {
      if (local) warnOutside(backend, 'SET LOCAL')
      const value = (node.args ?? []).map(text).join(', ')
      return assignSetting(backend, name, value, local)
    }
    case 'VAR_SET_DEFAULT':
    case 'VAR_RESET':
      if (local) warnOutside(backend, 'SET LOCAL')
      if (name === 'transaction_isolation') warnOutside(backend, 'RESET TRANSACTION')
      return assignSetting(backend, name, null, local)
    case 'VAR_RESET_ALL':
      settings.reset(null)
      return
    case 'VAR_SET_MULTI':
      if (name === 'TRANSACTION') {
        warnOutside(backend, 'SET TRANSACTION')
        setModes(backend, node.args ?? [])
        return
      }
      if (name === 'SESSION CHARACTERISTICS') {
        for (const one of (node.args ?? []) as Node[]) {
          if ('DefElem' in one && one.DefElem.arg)
            settings.set(`default_${one.DefElem.defname}`, boolean(one.DefElem.defname!, text(one.DefElem.arg)), false)
        }
        return
      }
      throw new UnsupportedSql(`SET ${name}`)
    default:
      throw new UnsupportedSql(String(node.kind))
  }
}

function warnOutside(backend: Backend, what: string): void {
  if (backend.state.keepsLocal) return
  backend.notice({ severity: 'WARNING', code: '25P01', message: `${what} can only be used in transaction blocks` })
}

function boolean(name: string, value: string): string {
  return name === 'transaction_isolation' ? value : value === '1' ? 'on' : 'off'
}

function text(node: Node): string {
  if ('TypeCast' in node) return text(node.TypeCast.arg!)
  if (!('A_Const' in node)) throw new UnsupportedSql('a value of SET that is not a constant')
  const { sval, ival, fval, boolval } = node.A_Const
  if (sval) return sval.sval ?? ''
  if (fval) return fval.fval ?? '0'
  if (boolval) return boolval.boolval ? 'true' : 'false'
  return String(ival?.ival ?? 0)
}

export function show(backend: Backend, name: string): string {
  if (name === 'all') throw new UnsupportedSql('SHOW ALL')
  const value = backend.settings.show(name)
  if (value === null) throw new SqlError('42704', `unrecognized configuration parameter "${name}"`)
  return value
}
