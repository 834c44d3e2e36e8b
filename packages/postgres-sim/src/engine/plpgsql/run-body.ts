import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { UserFunction } from '../catalog/relations.ts'
import { tagOf } from '../commands/command-tags.ts'
import { namedType } from '../expressions/type-names.ts'
import { parseSql } from '../parser/parse-sql.ts'
import { checkStatement } from '../rows/foreign-keys.ts'
import type { Running } from '../run.ts'
import { isQuery, type Prepared, runWithValues } from '../session/run-query.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Body, BodyStatement, Part } from './parse-body.ts'

/** A function to call, with its body. */
interface Called extends Pick<UserFunction, 'title' | 'args'> {
  readonly body: Body
  /** Runs utility statements. It is injected because this module cannot import it. */
  readonly runUtility: (backend: Backend, statement: Prepared) => Running<unknown>
}

interface Variable {
  readonly type: Type
  value: Value
}

type Variables = Map<string, Variable>

export function* runBody(backend: Backend, called: Called, args: readonly Value[]): Running<void> {
  const variables: Variables = new Map()
  for (const [i, { name, type }] of called.args.entries()) variables.set(name, { type, value: args[i]! })
  const call = new Call(backend, called, variables)
  for (const { name, type, initial } of called.body.variables) {
    if (variables.has(name)) throw new UnsupportedSql(`the variable ${name} of PL/pgSQL, which is declared twice`)
    const made: Variable = { type: namedType(backend, type).type, value: null }
    if (initial) made.value = yield* call.value(initial, made.type)
    variables.set(name, made)
  }
  yield* call.statements(called.body.statements)
}

class Call {
  private readonly backend: Backend
  private readonly called: Called
  private readonly variables: Variables

  constructor(backend: Backend, called: Called, variables: Variables) {
    this.backend = backend
    this.called = called
    this.variables = variables
  }

  /** Runs statements in order. Returns true if one of them ended the function. */
  *statements(list: readonly BodyStatement[]): Running<boolean> {
    for (const one of list) if (yield* this.statement(one)) return true
    return false
  }

  private *statement(one: BodyStatement): Running<boolean> {
    switch (one.kind) {
      case 'return':
        return true
      case 'if':
        for (const [when, then] of one.branches)
          if ((yield* this.value(when, types.bool)) === true) return yield* this.statements(then)
        return yield* this.statements(one.otherwise)
      case 'assign': {
        const variable = this.variable(one.to)
        variable.value = yield* this.value(one.part, variable.type)
        return false
      }
      case 'execute': {
        const text = yield* this.value(one.part, types.text)
        if (text === null)
          throw this.placed(new SqlError('22004', 'query string argument of EXECUTE is null'), one.part, 'EXECUTE')
        for (const { node, text: sql } of parseSql(text as string))
          yield* this.run(sql, node, new Map(), (error) =>
            this.placed(withContext(error, `SQL statement "${sql}"`), one.part, 'EXECUTE'),
          )
        return false
      }
      case 'sql':
        yield* this.sql(one)
        return false
      default:
        return false
    }
  }

  private *sql({ part, into }: Extract<BodyStatement, { kind: 'sql' }>): Running<void> {
    const rows = yield* this.run(part.sql, part.node, this.variables, (error) =>
      this.placed(
        isQuery(part.node) ? withContext(error, `SQL statement "${part.sql}"`) : error,
        part,
        'SQL statement',
      ),
    )
    if (into.length > 0 && rows.length > 1 && !('SelectStmt' in part.node))
      throw new UnsupportedSql('PL/pgSQL INTO of several rows')
    for (const [i, name] of into.entries()) {
      const variable = this.variable(name)
      variable.value = this.read(variable.type, rows[0]?.[i] ?? null)
    }
  }

  private variable(name: string): Variable {
    const found = this.variables.get(name)
    if (!found) throw new SqlError('42601', `"${name}" is not a known variable`)
    return found
  }

  private read(type: Type, text: string | null): Value {
    return text === null ? null : type.read(text, this.backend.database.host.nowUs())
  }

  *value(part: Part, type: Type): Running<Value> {
    const rows = yield* this.run(part.sql, part.node, this.variables, (error) => this.placed(error, part, 'assignment'))
    return this.read(type, rows[0]?.[0] ?? null)
  }

  /** Runs one statement, which sees the changes of the previous statements. */
  private *run(
    sql: string,
    node: Node,
    variables: Variables,
    placed: (error: SqlError) => SqlError,
  ): Running<readonly (readonly (string | null)[])[]> {
    const { backend } = this
    const { state } = backend
    const [bound, names] = variables.size > 0 && isQuery(node) ? boundTo(node, variables) : [node, []]
    const given = names.map((name) => variables.get(name)!)
    const declared = given.map(({ type }) => type.oid)
    const statement: Prepared = {
      text: sql,
      tag: tagOf(node),
      parameterTypes: declared,
      fields: null,
      node: bound,
      sql,
      declared,
      compiled: null,
    }
    state.current!.command++
    const written = state.current!.innermost.written.length
    try {
      if ('TransactionStmt' in node) throw new UnsupportedSql('a transaction in PL/pgSQL')
      if (!isQuery(node)) {
        yield* this.called.runUtility(backend, statement)
        return []
      }
      const outcome = yield* runWithValues(
        backend,
        statement,
        given.map(({ value }) => value),
      )
      this.mustBeUnambiguous(statement, names)
      if (backend.database.catalog.hasForeignKeys) yield* checkStatement(backend, written)
      return outcome.ok ? outcome.rows : []
    } catch (error) {
      throw error instanceof SqlError && !(error instanceof UnsupportedSql) ? placed(error) : error
    } finally {
      if (state.current) state.current.command++
    }
  }

  /** Refuses a variable that has the name of a column, which PostgreSQL refuses in some places. */
  private mustBeUnambiguous({ compiled }: Prepared, names: readonly string[]): void {
    for (const [{ columns }] of compiled?.analysis.relations ?? [])
      for (const { name } of columns)
        if (names.includes(name))
          throw new UnsupportedSql(`the variable ${name} of PL/pgSQL beside a column of that name`)
  }

  private placed(error: SqlError, { line }: Part, what: string): SqlError {
    return withContext(error, `PL/pgSQL function ${this.called.title} line ${line} at ${what}`)
  }
}

function withContext(error: SqlError, where: string): SqlError {
  return error.with({ where: error.where === undefined ? where : `${error.where}\n${where}` })
}

/** Replaces each variable of the statement with a parameter. */
function boundTo(node: Node, variables: Variables): [Node, string[]] {
  const names: string[] = []
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null) return value
    const { ColumnRef: column } = value as { ColumnRef?: { fields?: Node[]; location?: number } }
    const field = column?.fields?.length === 1 ? column.fields[0]! : null
    if (field && 'String' in field && variables.has(field.String.sval!)) {
      const name = field.String.sval!
      if (!names.includes(name)) names.push(name)
      return { ParamRef: { number: names.indexOf(name) + 1, location: column!.location } }
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)]))
  }
  return [copy(node) as Node, names]
}
