import type { WithClause } from 'libpg-query'
import type { Analysis, NamedQuery, Plan, Scope } from '../expressions/analysis.ts'
import type { Run, Running } from '../run.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { Value } from '../values/value.ts'

/** Compiles WITH. Each query runs once, when it is first read. A query that writes always runs. */
export function compileWith(analysis: Analysis, clause: WithClause | undefined, scope: Scope): readonly NamedQuery[] {
  if (!clause) return []
  if (clause.recursive) throw new UnsupportedSql('WITH RECURSIVE')
  const writing: NamedQuery[] = []
  for (const one of clause.ctes ?? []) {
    if (!('CommonTableExpr' in one)) continue
    const { ctename, ctequery, aliascolnames } = one.CommonTableExpr
    if (scope.named.has(ctename!)) throw new SqlError('42712', `WITH query name "${ctename}" specified more than once`)
    const before = analysis.writes
    analysis.writes = false
    const plan = renamed(
      analysis.statement(ctequery!, scope),
      (aliascolnames ?? []).map((name) => ('String' in name ? name.String.sval! : '')),
    )
    const named = { plan }
    if (analysis.writes) writing.push(named)
    analysis.writes ||= before
    scope.named.set(ctename!, named)
  }
  return writing
}

export function renamed(plan: Plan, names: readonly string[]): Plan {
  if (names.length === 0) return plan
  return {
    ...plan,
    fields: plan.fields.map((field, i) => ({ ...field, name: names[i] ?? field.name })),
    rows: (run, outer) => plan.rows(run, outer),
  }
}

export function findNamed(scope: Scope, name: string): NamedQuery | null {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const found = at.named.get(name)
    if (found) return found
  }
  return null
}

export function* namedRows(run: Run, named: NamedQuery): Running<readonly (readonly Value[])[]> {
  const before = run.once?.get(named)
  if (before) return before as readonly (readonly Value[])[]
  const rows = yield* named.plan.rows(run, null)
  run.once ??= new Map()
  run.once.set(named, rows)
  return rows
}

/** Runs the writing queries that were not read during the statement. */
export function* runRest(run: Run, writing: readonly NamedQuery[]): Running<void> {
  for (const one of writing) yield* namedRows(run, one)
}
