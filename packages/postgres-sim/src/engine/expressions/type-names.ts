import type { TypeName } from 'libpg-query'
import type { Backend } from '../backend.ts'
import { qualified } from '../catalog/relations.ts'
import { mustHaveSchema } from '../commands/names.ts'
import { realNames } from '../reference/real-names.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { arrayOf, type Type, typeByName } from '../values/types.ts'

export interface NamedType {
  readonly type: Type
  readonly typmod: number
  /** True for serial, bigserial and smallserial, which create a sequence. */
  readonly serial: boolean
}

const serials: Readonly<Record<string, string>> = {
  serial: 'int4',
  serial4: 'int4',
  bigserial: 'int8',
  serial8: 'int8',
  smallserial: 'int2',
  serial2: 'int2',
}

/** Maximum length of `varchar` and `char`: MaxAttrSize of PostgreSQL. */
const mostCharacters = 10_485_760
const mostBits = mostCharacters * 8

/** Resolves the name of a type. `backend` is null if user-defined types are not allowed. */
export function namedType(backend: Backend | null, given: TypeName): NamedType {
  const names = (given.names ?? []).map((one) => ('String' in one ? (one.String.sval ?? '') : ''))
  const name = names.at(-1)!
  const made = backend?.database.catalog.type(backend, qualified(names.at(-2), name)) ?? null
  if (made) {
    if ((given.arrayBounds ?? []).length > 0) throw new UnsupportedSql(`an array of ${made.title}`)
    return {
      type: made,
      typmod: typmodOf(made, given.typmods?.length ? [0] : [], (given.location ?? 0) + 1),
      serial: false,
    }
  }
  const schema = names.at(-2) ?? 'pg_catalog'
  if (schema !== 'pg_catalog' && backend) {
    if (schema !== 'public') mustHaveSchema(backend, qualified(schema, name), (given.location ?? 0) + 1)
    throw new SqlError('42704', `type "${names.join('.')}" does not exist`, { position: (given.location ?? 0) + 1 })
  }
  const numbers = (given.typmods ?? []).map((one) => ('A_Const' in one ? (one.A_Const.ival?.ival ?? 0) : 0))
  const base = typeByName(serials[name] ?? name)
  if (!base || base.category === 'X' || base.category === 'P') {
    if (realNames().types.has(name)) throw new UnsupportedSql(`the type ${name}`)
    throw new SqlError('42704', `type "${name}" does not exist`, { position: (given.location ?? 0) + 1 })
  }
  const isSerial = serials[name] !== undefined
  let type = base
  if ((given.arrayBounds ?? []).length > 0) {
    if (isSerial)
      throw new SqlError('0A000', 'array of serial is not implemented', { position: (given.location ?? 0) + 1 })
    const array = arrayOf(base)
    if (!array) throw new UnsupportedSql(`an array of ${base.title}`)
    type = array
  }
  return { type, typmod: typmodOf(base, numbers, (given.location ?? 0) + 1), serial: isSerial }
}

function typmodOf(type: Type, numbers: readonly number[], position: number): number {
  const [first, second = 0] = numbers
  if (type.name === 'interval' && first !== undefined && first !== 0x7fff)
    throw new UnsupportedSql('an interval of some fields')
  if (first === undefined || type.name === 'interval') return -1
  const refused = (code: string, message: string) => new SqlError(code, message, { position })
  switch (type.name) {
    case 'varchar':
    case 'bpchar': {
      const name = type.name === 'bpchar' ? 'char' : type.name
      if (first < 1) throw refused('22023', `length for type ${name} must be at least 1`)
      if (first > mostCharacters) throw refused('22023', `length for type ${name} cannot exceed ${mostCharacters}`)
      return first + 4
    }
    case 'bit':
    case 'varbit':
      if (first < 1) throw refused('22023', `length for type ${type.name} must be at least 1`)
      if (first > mostBits) throw refused('22023', `length for type ${type.name} cannot exceed ${mostBits}`)
      return first
    case 'numeric':
      if (first < 1 || first > 1000) throw refused('22023', `NUMERIC precision ${first} must be between 1 and 1000`)
      if (Math.abs(second) > 1000) throw refused('22023', `NUMERIC scale ${second} must be between -1000 and 1000`)
      return ((first << 16) | (second & 0x7ff)) + 4
    case 'timestamp':
    case 'timestamptz':
    case 'time':
      return Math.min(first, 6)
    default:
      throw refused('42601', `type modifier is not allowed for type "${type.name}"`)
  }
}
