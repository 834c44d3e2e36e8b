import type { CreateSeqStmt, Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { Sequence } from '../catalog/relations.ts'
import { type NamedType, namedType } from '../expressions/type-names.ts'
import type { Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { types } from '../values/types.ts'
import { isThere, nameIsFree, relationName } from './names.ts'

export function* createSequence(backend: Backend, node: CreateSeqStmt): Running<void> {
  const { catalog } = backend.database
  const name = relationName(node.sequence!)
  if (isThere(backend, name, node.if_not_exists, (node.sequence!.location ?? 0) + 1)) return
  yield* nameIsFree(backend, name, 'sequence')
  catalog.add(makeSequence(backend, name, node.options ?? [], backend.currentXid(), null, null))
}

const limits: Readonly<Record<string, bigint>> = { int2: 32767n, int4: 2147483647n, int8: 2n ** 63n - 1n }

export function makeSequence(
  backend: Backend,
  name: string,
  options: readonly Node[],
  xid: number,
  owner: string | null,
  of: NamedType | null,
): Sequence {
  const given = new Map<string, bigint>()
  const said = new Set<string>()
  let type = of?.type ?? types.int8
  for (const one of options) {
    if (!('DefElem' in one)) continue
    const { defname, arg, location = 0 } = one.DefElem
    if (said.has(defname!)) throw new SqlError('42601', 'conflicting or redundant options', { position: location + 1 })
    said.add(defname!)
    if (defname === 'as' && arg && 'TypeName' in arg) type = namedType(backend, arg.TypeName).type
    else if (arg && ('Integer' in arg || 'Float' in arg)) {
      given.set(defname!, BigInt('Integer' in arg ? (arg.Integer.ival ?? 0) : (arg.Float.fval ?? '0')))
    } else if (defname === 'cycle' || defname === 'owned_by')
      throw new UnsupportedSql(`the option ${defname} of a sequence`)
  }
  if ((given.get('cache') ?? 1n) > 1n) throw new UnsupportedSql('the option cache of a sequence')
  const limit = limits[type.name]
  if (limit === undefined) {
    const whose = of === null ? 'sequence' : 'identity column'
    throw new SqlError('22023', `${whose} type must be smallint, integer, or bigint`)
  }
  const increment = given.get('increment') ?? 1n
  if (increment === 0n) throw new SqlError('22023', 'INCREMENT must not be zero')
  const most = given.get('maxvalue') ?? (increment > 0n ? limit : -1n)
  const least = given.get('minvalue') ?? (increment > 0n ? 1n : -limit - 1n)
  const start = given.get('start') ?? (increment > 0n ? least : most)
  const refused = (what: string) => new SqlError('22023', what)
  for (const [name, value] of [
    ['MAXVALUE', most],
    ['MINVALUE', least],
  ] as const)
    if (value > limit || value < -limit - 1n)
      throw refused(`${name} (${value}) is out of range for sequence data type ${type.title}`)
  if (least >= most) throw refused(`MINVALUE (${least}) must be less than MAXVALUE (${most})`)
  if (start < least) throw refused(`START value (${start}) cannot be less than MINVALUE (${least})`)
  if (start > most) throw refused(`START value (${start}) cannot be greater than MAXVALUE (${most})`)
  return new Sequence(backend.database.catalog.newOid(), name, xid, owner, { start, increment, least, most })
}
