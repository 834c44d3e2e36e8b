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
  /** Number of the column, counted from 1; 0 if the field is not a column of a table. */
  readonly column: number
}

/** A table, subquery or function in FROM. */
export interface RangeEntry {
  readonly alias: string
  readonly slot: number
  readonly columns: readonly ScopeColumn[]
  readonly table: Table | null
  /** Columns that a join with USING has merged into a column of another entry. */
  readonly merged?: ReadonlySet<string>
  /** True if an outer join may produce no row of this entry. */
  readonly nullable?: boolean
}

/** An aggregate of a query. Queries list them in the order of occurrence. */
export interface AggregateUse {
  readonly key: string
  start(): unknown
  step(state: unknown, row: Row): unknown
  finish(state: unknown): Value
}

/** A window function of a query with its PARTITION BY. */
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
  /** The queries of WITH, by name. */
  readonly named: Map<string, NamedQuery>
  /** Tables of the statement that cannot be referenced here. */
  readonly hidden: Pick<RangeEntry, 'alias' | 'columns'>[]
  /** The window functions of the query; null in clauses that allow none. */
  windows: WindowUse[] | null
  /** The aggregates of the query; null if there is no group to aggregate. */
  aggregates: AggregateUse[] | null
  /** The name of the current clause for error messages, if it allows no aggregates. */
  aggregatesRefused: string | null
  /** Expressions of GROUP BY, by text, with the expression that reads the group's value. */
  groups: ReadonlyMap<string, Expression> | null
  /**
   * The scopes whose columns the arguments of an aggregate use; null unless such arguments are
   * being compiled.
   */
  insideAggregate: Set<Scope> | null
  /** True if a subquery has used a column of this query or of an outer one. */
  usedFromInside: boolean
  /** The part of a table or index that the expression belongs to; null in a query. */
  place: SchemaPlace | null
}

/** A query of WITH, which runs once per statement. */
export interface NamedQuery {
  readonly plan: Plan
}

export interface Plan {
  readonly fields: readonly ScopeColumn[]
  /** Positions of the columns for error messages; absent if the columns have no positions. */
  readonly places?: readonly number[]
  /** Gives an untyped column (literals and parameters) the requested type. */
  settle?(column: number, type: Type): void
  /** True if the query may wait or writes. */
  readonly mayWait: boolean
  rows(run: Run, outer: Row | null): Running<readonly (readonly Value[])[]>
}

export interface Compilers {
  expression(analysis: Analysis, node: Node, scope: Scope): Expression
  /** If `keepsUnknown` is true, the caller resolves untyped columns. Otherwise they become text. */
  query(analysis: Analysis, select: SelectStmt, parent: Scope | null, keepsUnknown: boolean): Plan
  /** Compiles INSERT, UPDATE, DELETE or SELECT, which may be a query of WITH. */
  statement(analysis: Analysis, node: Node, parent: Scope | null): Plan
}

/** The analysis of one statement. It infers the parameter types and compiles the expressions. */
export class Analysis {
  readonly backend: Backend
  readonly parameterTypes: (Type | null)[]
  readonly compilers: Compilers
  private parts: WaitingPart[] = []
  private joins = false
  /** Parameters without a type that were used in a context that allows any type. */
  private readonly unreported: { readonly number: number; readonly position: number }[] = []
  /**
   * The enclosing expression that does not evaluate all of its parts; null outside of such an
   * expression. It also applies inside subqueries.
   */
  condition: 'CASE' | 'COALESCE' | null = null
  /**
   * Tables with the lock mode that the statement needs. They are locked before the statement runs.
   * An error while it waits for a lock has the position of the first reference, counted from 1.
   */
  readonly relations = new Map<Table, { readonly mode: 1 | 2 | 3; readonly position: number }>()
  /** True if a literal depends on the time of the analysis. */
  readsClock = false
  /** True if the statement calls a function that is not IMMUTABLE. */
  callsMutable = false
  /** True if the statement changes rows. */
  writes = false
  /** The clause that locks rows, for example `FOR UPDATE`. */
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

  /** Converts a literal. `'now'` becomes the current time. */
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
   * Accepts an expression of any type. This does not give a parameter a type: unless an earlier use
   * did, `mustKnowParameters` throws.
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

  /** Compiles an expression together with its waiting parts. */
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
   * Compiles a CASE or COALESCE. Waiting parts run before the whole expression, even parts that the
   * expression would skip.
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

  /** Records that a correlated subquery tests for matching rows. */
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

  /** The waiting parts of a subquery are kept separate from those of the outer expression. */
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
