import { compareArrays, readArray, writeArray } from './arrays.ts'
import type { Decimal } from './decimal.ts'
import { clockText, formatInterval, type Interval, parseInterval, spanOf } from './interval.ts'
import { compareJsonb, formatJsonb, parseJson } from './jsonb.ts'
import {
  readBits,
  readBoolean,
  readBytes,
  readFloat,
  readInteger,
  readJsonText,
  readLsn,
  readNumeric,
  readTime,
  readUuid,
  writeFloat,
  writeLsn,
} from './read-values.ts'
import { formatDate, formatTimestamp, parseTimestamp } from './timestamps.ts'
import { compareText } from './utf8.ts'
import { JsonbValue, type Value } from './value.ts'

/** A data type of pg_type: https://www.postgresql.org/docs/15/datatype.html */
export interface Type {
  readonly oid: number
  /** The name in pg_type. */
  readonly name: string
  /** The name in messages. */
  readonly title: string
  readonly size: number
  /** The typcategory of pg_type. */
  readonly category: 'B' | 'N' | 'S' | 'D' | 'T' | 'U' | 'X' | 'P' | 'A' | 'E' | 'V'
  readonly preferred?: boolean
  /** The element type of an array type. */
  readonly element?: Type
  /** @throws SqlError */
  read(text: string, nowUs: number): Value
  write(value: Value): string
  compare(a: Value, b: Value): number
}

/** Compares numbers. NaN equals itself and is greater than all other numbers. */
function number(a: Value, b: Value): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
}
const text = (a: Value, b: Value) => compareText(a as string, b as string)
const bigints = (a: Value, b: Value) => ((a as bigint) < (b as bigint) ? -1 : a === b ? 0 : 1)
const asText = (value: Value) => String(value)

const byOid = new Map<number, Type>()
const byName = new Map<string, Type>()

function define(type: Type, ...aliases: string[]): Type {
  byOid.set(type.oid, type)
  for (const name of [type.name, ...aliases]) byName.set(name, type)
  return type
}

type Part = Pick<Type, 'read' | 'write' | 'compare'>
const textual: Part = { read: (given) => given, write: asText, compare: text }

const rows: readonly (readonly [
  oid: number,
  name: string,
  title: string,
  size: number,
  category: Type['category'],
  part: Part,
])[] = [
  [
    16,
    'bool',
    'boolean',
    1,
    'B',
    { read: readBoolean, write: (v) => (v ? 't' : 'f'), compare: (a, b) => Number(a) - Number(b) },
  ],
  [17, 'bytea', 'bytea', -1, 'U', { read: readBytes, write: asText, compare: text }],
  [18, 'char', '"char"', 1, 'S', textual],
  [19, 'name', 'name', 64, 'S', textual],
  [20, 'int8', 'bigint', 8, 'N', { read: readInteger('bigint', 64), write: asText, compare: bigints }],
  [
    21,
    'int2',
    'smallint',
    2,
    'N',
    { read: (g) => Number(readInteger('smallint', 16)(g)), write: asText, compare: number },
  ],
  [
    23,
    'int4',
    'integer',
    4,
    'N',
    { read: (g) => Number(readInteger('integer', 32)(g)), write: asText, compare: number },
  ],
  [25, 'text', 'text', -1, 'S', textual],
  [26, 'oid', 'oid', 4, 'N', { read: (g) => Number(readInteger('oid', 33)(g)), write: asText, compare: number }],
  [28, 'xid', 'xid', 4, 'U', { read: (g) => Number(readInteger('xid', 33)(g)), write: asText, compare: number }],
  [27, 'tid', 'tid', 6, 'U', textual],
  [114, 'json', 'json', -1, 'U', { read: readJsonText, write: asText, compare: text }],
  [
    700,
    'float4',
    'real',
    4,
    'N',
    {
      read: (g) => Math.fround(readFloat('real')(g)),
      write: (v) => writeFloat(Number((v as number).toPrecision(7))),
      compare: number,
    },
  ],
  [
    701,
    'float8',
    'double precision',
    8,
    'N',
    { read: readFloat('double precision'), write: writeFloat, compare: number },
  ],
  [705, 'unknown', 'unknown', -2, 'X', textual],
  [
    1042,
    'bpchar',
    'character',
    -1,
    'S',
    { read: (g) => g, write: asText, compare: (a, b) => text((a as string).trimEnd(), (b as string).trimEnd()) },
  ],
  [1043, 'varchar', 'character varying', -1, 'S', textual],
  [
    1082,
    'date',
    'date',
    4,
    'D',
    {
      read: (g, now) => Math.floor(parseTimestamp(g, 'date', now, false) / 86400e6),
      write: (v) => formatDate(v as number),
      compare: number,
    },
  ],
  [
    1083,
    'time',
    'time without time zone',
    8,
    'D',
    { read: readTime, write: (v) => clockText(v as number), compare: number },
  ],
  [
    1114,
    'timestamp',
    'timestamp without time zone',
    8,
    'D',
    {
      read: (g, now) => parseTimestamp(g, 'timestamp', now, false),
      write: (v) => formatTimestamp(v as number, false),
      compare: number,
    },
  ],
  [
    1184,
    'timestamptz',
    'timestamp with time zone',
    8,
    'D',
    {
      read: (g, now) => parseTimestamp(g, 'timestamp with time zone', now, true),
      write: (v) => formatTimestamp(v as number, true),
      compare: number,
    },
  ],
  [
    1186,
    'interval',
    'interval',
    16,
    'T',
    {
      read: parseInterval,
      write: (v) => formatInterval(v as Interval),
      compare: (a, b) => bigints(spanOf(a as Interval), spanOf(b as Interval)),
    },
  ],
  [
    1700,
    'numeric',
    'numeric',
    -1,
    'N',
    { read: readNumeric, write: asText, compare: (a, b) => (a as Decimal).compare(b as Decimal) },
  ],
  [1560, 'bit', 'bit', -1, 'V', { ...textual, read: readBits }],
  [1562, 'varbit', 'bit varying', -1, 'V', { ...textual, read: readBits }],
  [2205, 'regclass', 'regclass', 4, 'N', { read: (g) => g, write: asText, compare: text }],
  [2249, 'record', 'record', -1, 'P', textual],
  [2278, 'void', 'void', 4, 'P', { read: () => '', write: () => '', compare: () => 0 }],
  [3220, 'pg_lsn', 'pg_lsn', 8, 'U', { read: readLsn, write: (v) => writeLsn(v as bigint), compare: bigints }],
  [2950, 'uuid', 'uuid', 16, 'U', { read: readUuid, write: asText, compare: text }],
  [
    3802,
    'jsonb',
    'jsonb',
    -1,
    'U',
    {
      read: (g) => new JsonbValue(parseJson(g)),
      write: (v) => formatJsonb((v as JsonbValue).json),
      compare: (a, b) => compareJsonb((a as JsonbValue).json, (b as JsonbValue).json),
    },
  ],
]

for (const [oid, name, title, size, category, part] of rows) {
  const preferred = ['bool', 'text', 'float8', 'timestamptz', 'interval', 'oid', 'varbit'].includes(name)
  define({ oid, name, title, size, category, preferred, ...part })
}

const arrays: readonly (readonly [oid: number, element: string])[] = [
  [1000, 'bool'],
  [1001, 'bytea'],
  [1005, 'int2'],
  [1007, 'int4'],
  [1009, 'text'],
  [1015, 'varchar'],
  [1016, 'int8'],
  [1022, 'float8'],
  [1115, 'timestamp'],
  [1185, 'timestamptz'],
  [1231, 'numeric'],
  [199, 'json'],
  [2951, 'uuid'],
  [3807, 'jsonb'],
]
for (const [oid, name] of arrays) {
  const element = byName.get(name)!
  define({
    oid,
    name: `_${name}`,
    title: `${element.title}[]`,
    size: -1,
    category: 'A',
    element,
    read: (given, now) => readArray(given, element, now),
    write: (value) => writeArray(value as readonly Value[], element),
    compare: (a, b) => compareArrays(a as readonly Value[], b as readonly Value[], element),
  })
}

export function allTypes(): Type[] {
  return [...byOid.values()]
}

export function typeByOid(oid: number): Type | undefined {
  return byOid.get(oid)
}

export function typeByName(name: string): Type | undefined {
  return byName.get(name)
}

export function arrayOf(element: Type): Type | undefined {
  return byName.get(`_${element.name}`)
}

const named = (name: string) => byName.get(name)!

export const types = {
  char: named('char'),
  bool: named('bool'),
  bytea: named('bytea'),
  bit: named('bit'),
  varbit: named('varbit'),
  name: named('name'),
  int8: named('int8'),
  int2: named('int2'),
  int4: named('int4'),
  text: named('text'),
  oid: named('oid'),
  xid: named('xid'),
  tid: named('tid'),
  json: named('json'),
  float4: named('float4'),
  float8: named('float8'),
  unknown: named('unknown'),
  bpchar: named('bpchar'),
  varchar: named('varchar'),
  date: named('date'),
  time: named('time'),
  timestamp: named('timestamp'),
  timestamptz: named('timestamptz'),
  interval: named('interval'),
  numeric: named('numeric'),
  regclass: named('regclass'),
  record: named('record'),
  void: named('void'),
  pgLsn: named('pg_lsn'),
  uuid: named('uuid'),
  jsonb: named('jsonb'),
} as const
