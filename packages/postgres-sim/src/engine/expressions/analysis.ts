import type { Node, RangeVar, SelectStmt } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { Table } from '../catalog/relations.ts'
import { keyInText, relationName } from '../commands/names.ts'
import type { Row, Run, Running } from '../run.ts'
import type { Access } from '../serializable/access.ts'
import { SqlError } from '../sql-error.ts'
import { type Type, typeByOid, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import { coerce } from './coerce.ts'
import type { Clause, Expression, WaitingPart } from './expression.ts'
import type { SchemaPlace } from './schema-place.ts'

export interface ScopeColumn {
  readonly name: string
  readonly type: Type
  readonly typmod: number
  readonly tableOid: number
  /** From 1; 0 where it is no table's. */
  readonly column: number
}

/** A table, subquery or function in FROM. */
export interface RangeEntry {
  readonly alias: string
  readonly slot: number
  readonly columns: readonly ScopeColumn[]
  readonly table: Table | null
  /** Columns that a join USING has merged into one of another entry. */
  readonly merged?: ReadonlySet<string>
  /** An outer join may have no row of it. */
  readonly nullable?: boolean
}

/** The aggregates of a query, in the order in which they were met. */
export interface AggregateUse {
  readonly key: string
  start(): unknown
  step(state: unknown, row: Row): unknown
  finish(state: unknown): Value
}

/** A window function of a query: what its rows are numbered by. */
export interface WindowUse {
  readonly partition: readonly Expression[]
}

/** A table that a query reads. */
export interface Scan {
  readonly table: Table
  readonly alias: string
  access: Access
}

export interface Scope {
  readonly scans: Scan[]
  readonly entries: RangeEntry[]
  readonly parent: Scope | null
  /** The names of WITH. */
  readonly named: Map<string, NamedQuery>
  /** Tables of the statement that cannot be named here. */
  readonly hidden: Pick<RangeEntry, 'alias' | 'columns'>[]
  /** Null in clauses that take no window functions. */
  windows: WindowUse[] | null
  /** Null where there is no group that an aggregate could be of. */
  aggregates: AggregateUse[] | null
  /**
   * The part of the query that is being compiled, where it takes no aggregates, as messages name
   * it.
   */
  aggregatesRefused: string | null
  /** Expressions of GROUP BY by their text, and where the group keeps them. */
  groups: ReadonlyMap<string, Expression> | null
  /**
   * While the arguments of an aggregate are compiled: the queries whose columns they use, this one
   * and those around it.
   */
  insideAggregate: Set<Scope> | null
  /** A query inside has used a column of this one or of one further out. */
  usedFromInside: boolean
  /** What of a table or index the expression is; null in a query. */
  place: SchemaPlace | null
}

/** A query of WITH: it is run once. */
export interface NamedQuery {
  readonly plan: Plan
}

export interface Plan {
  readonly fields: readonly ScopeColumn[]
  /** Where its columns are written, as an error names the place; absent: nowhere. */
  readonly places?: readonly number[]
  /**
   * Gives columns that have no type yet, literals and parameters, the type that is asked of them.
   */
  settle?(column: number, type: Type): void
  /** It may wait, or it writes. */
  readonly mayWait: boolean
  rows(run: Run, outer: Row | null): Running<readonly (readonly Value[])[]>
}

export interface Compilers {
  expression(analysis: Analysis, node: Node, scope: Scope): Expression
  /** `keepsUnknown`: who asks settles columns without a type; else they are text. */
  query(analysis: Analysis, select: SelectStmt, parent: Scope | null, keepsUnknown: boolean): Plan
  /** INSERT, UPDATE, DELETE or SELECT, as WITH has them. */
  statement(analysis: Analysis, node: Node, parent: Scope | null): Plan
}

/**
 * The analysis of one statement: it finds the types of its parameters, and compiles its
 * expressions.
 */
export class Analysis {
  readonly backend: Backend
  readonly parameterTypes: (Type | null)[]
  readonly compilers: Compilers
  private parts: WaitingPart[] = []
  private joins = false
  /** Parameters that stood where any type will do, while theirs was unknown. */
  private readonly unreported: { readonly number: number; readonly position: number }[] = []
  /**
   * What it stands in that does not evaluate all of its parts; null outside. Queries inside are
   * part of it.
   */
  condition: 'CASE' | 'COALESCE' | null = null
  /**
   * Tables and how the statement locks them, to be locked before it runs; errors of that wait name
   * the first place of the table, from 1.
   */
  readonly relations = new Map<Table, { readonly mode: 1 | 2 | 3; readonly position: number }>()
  /** What a literal of it is may hang on when it was analysed. */
  readsClock = false
  /** It calls a function that is not IMMUTABLE. */
  callsMutable = false
  /** It changes rows. */
  writes = false
  /** It locks rows: by `FOR UPDATE` or another clause. */
  locks: string | null = null

  constructor(backend: Backend, parameterTypes: readonly number[], compilers: Compilers) {
    this.backend = backend
    this.compilers = compilers
    this.parameterTypes = parameterTypes.map((oid) => (oid === 0 || oid === 705 ? null : typeOf(backend, oid)))
  }

  use(table: Table, mode: 1 | 2 | 3, position = 0): void {
    const before = this.relations.get(table) ?? { mode, position }
    this.relations.set(table, mode > before.mode ? { ...before, mode } : before)
  }

  /** @throws SqlError 42P01 */
  table(relation: RangeVar, mode: 1 | 2 | 3): Table {
    const position = (relation.location ?? 0) + 1
    const table = this.backend.database.catalog.table(this.backend, relationName(relation), position)
    this.use(table, mode, position)
    return table
  }

  /** What a literal is, where it is written: `'now'` is a time. */
  literal(type: Type, text: string): Value {
    this.readsClock ||= /now|today|tomorrow|yesterday/i.test(text)
    return type === types.regclass ? this.regclass(text) : type.read(text, this.backend.database.host.nowUs())
  }

  private regclass(text: string): Value {
    const key = keyInText(text)
    if (key === null || !this.backend.database.catalog.find(this.backend, key))
      throw new SqlError('42P01', `relation "${text}" does not exist`)
    return key
  }

  parameterAs(number: number, type: Type): Expression {
    const before = this.parameterTypes[number - 1] ?? null
    if (before === null) this.parameterTypes[number - 1] = type
    const known = this.parameter(number)
    if (known.type === type) return known
    const coerced = coerce(this, known, type, 'implicit')
    if (coerced) return coerced
    throw new SqlError('42P08', `inconsistent types deduced for parameter $${number}`, {
      detail: `${known.type.title} versus ${type.title}`,
    })
  }

  /**
   * What takes values of any type says nothing of the parameter's: that has to come from elsewhere,
   * before it.
   */
  anyType(expression: Expression): Expression {
    const { open } = expression
    if (open?.kind === 'parameter') {
      this.unreported.push(open)
      return { type: types.text, typmod: -1, evaluate: expression.evaluate }
    }
    return expression.type === types.unknown ? coerce(this, expression, types.text, 'implicit')! : expression
  }

  /** @throws SqlError 42P18, 42P08 */
  mustKnowParameters(): void {
    this.parameterTypes.forEach((type, i) => {
      if (type === null) throw new SqlError('42P18', `could not determine data type of parameter $${i + 1}`)
    })
    const [first] = this.unreported
    if (first === undefined) return
    const { number, position } = first
    throw new SqlError('42P08', `could not determine data type of parameter $${number}`, { position })
  }

  parameter(number: number, position = 0): Expression {
    while (this.parameterTypes.length < number) this.parameterTypes.push(null)
    const type = this.parameterTypes[number - 1] ?? null
    const at = number - 1
    if (type === null) {
      return {
        type: types.unknown,
        typmod: -1,
        open: { kind: 'parameter', number, position },
        evaluate() {
          throw new Error(`parameter $${number} has no type`)
        },
      }
    }
    return { type, typmod: -1, constant: true, evaluate: (row) => row.run.parameters[at] ?? null }
  }

  expression(node: Node, scope: Scope): Expression {
    return this.compilers.expression(this, node, scope)
  }

  /** With what is to be evaluated before it, as it may wait. */
  clause(node: Node, scope: Scope, finish: (expression: Expression) => Expression = (one) => one): Clause {
    const around = [this.parts, this.joins] as const
    this.parts = []
    this.joins = false
    try {
      const expression = finish(this.expression(node, scope))
      const { parts, joins } = this
      return { ...expression, evaluate: (row) => expression.evaluate(row), parts, joins }
    } finally {
      ;[this.parts, this.joins] = around
    }
  }

  /**
   * Parts that may wait are evaluated before the expression that they stand in, also where it would
   * leave them out.
   */
  conditional<T>(title: 'CASE' | 'COALESCE', compile: () => T): T {
    const around = this.condition
    this.condition = title
    try {
      return compile()
    } finally {
      this.condition = around
    }
  }

  /** A subquery that uses the row is asked whether there is one that fits. */
  joinsRow(): void {
    this.joins = true
  }

  addPart(part: WaitingPart): void {
    this.parts.push(part)
  }

  query(select: SelectStmt, parent: Scope | null, keepsUnknown = false): Plan {
    return this.apart(() => this.compilers.query(this, select, parent, keepsUnknown))
  }

  statement(node: Node, parent: Scope | null): Plan {
    return this.apart(() => this.compilers.statement(this, node, parent))
  }

  /** What a query inside has to wait for is its own matter. */
  private apart<T>(compile: () => T): T {
    const around = [this.parts, this.joins] as const
    this.parts = []
    try {
      return compile()
    } finally {
      ;[this.parts, this.joins] = around
    }
  }
}

function typeOf(backend: Backend, oid: number): Type {
  const type = typeByOid(oid) ?? backend.database.catalog.typeByOid(backend, oid)
  if (!type) throw new SqlError('42704', `type with OID ${oid} does not exist`)
  return type
}

export function newScope(parent: Scope | null): Scope {
  return {
    scans: [],
    entries: [],
    parent,
    named: new Map(),
    hidden: [],
    windows: null,
    aggregates: null,
    aggregatesRefused: 'WHERE',
    groups: null,
    insideAggregate: null,
    usedFromInside: false,
    place: null,
  }
}
