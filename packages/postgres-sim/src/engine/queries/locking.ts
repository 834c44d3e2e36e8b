import type { Node } from 'libpg-query'
import type { Table } from '../catalog/relations.ts'
import type { Analysis, RangeEntry, Scope } from '../expressions/analysis.ts'
import { homeOf, homesOf } from '../rows/partitions.ts'
import { acquireRow, lockNext, markLocked, type WaitPolicy } from '../rows/row-locks.ts'
import type { Row, Run, Running } from '../run.ts'
import { columnsIn } from '../serializable/access.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import type { RowLockMode } from '../storage/row-version.ts'

/** A table whose rows the query locks with FOR UPDATE or a similar clause. */
export interface LockedTable {
  readonly table: Table
  readonly slot: number
  readonly mode: RowLockMode
  readonly policy: WaitPolicy
}

const strengths: Readonly<Record<string, readonly [mode: RowLockMode, title: string]>> = {
  LCS_FORKEYSHARE: [0, 'FOR KEY SHARE'],
  LCS_FORSHARE: [1, 'FOR SHARE'],
  LCS_FORNOKEYUPDATE: [2, 'FOR NO KEY UPDATE'],
  LCS_FORUPDATE: [3, 'FOR UPDATE'],
}

const policies: Readonly<Record<string, WaitPolicy>> = {
  LockWaitBlock: 'wait',
  LockWaitSkip: 'skip',
  LockWaitError: 'refuse',
}
const ranks: readonly WaitPolicy[] = ['wait', 'skip', 'refuse']

export function compileLocking(
  analysis: Analysis,
  clauses: readonly Node[],
  scope: Scope,
  { isGrouped, isDistinct, where }: { isGrouped: boolean; isDistinct: boolean; where: Node | undefined },
): LockedTable[] {
  const found = new Map<number, LockedTable>()
  for (const one of clauses) {
    if (!('LockingClause' in one)) continue
    const { strength, waitPolicy, lockedRels } = one.LockingClause
    const [mode, title] = strengths[strength!]!
    const policy = policies[waitPolicy ?? 'LockWaitBlock']!
    if (isDistinct) throw new SqlError('0A000', `${title} is not allowed with DISTINCT clause`)
    if (isGrouped) {
      const why = scope.groups && scope.groups.size > 0 ? 'GROUP BY clause' : 'aggregate functions'
      throw new SqlError('0A000', `${title} is not allowed with ${why}`)
    }
    for (const entry of scope.entries)
      if (!entry.table && !lockedRels?.length) throw new UnsupportedSql(`${title} of a non-table`)
    const names = (lockedRels ?? []).map((rel) => ('RangeVar' in rel ? rel.RangeVar : {}))
    for (const rel of names) {
      const entry = scope.entries.find((other) => other.alias === rel.relname)
      if (!entry) {
        throw new SqlError('42P01', `relation "${rel.relname}" in ${title} clause not found in FROM clause`, {
          position: (rel.location ?? 0) + 1,
        })
      }
      if (!entry.table) throw new UnsupportedSql(`${title} OF a non-table`)
    }
    for (const entry of scope.entries) {
      const { alias, slot, table } = entry
      if (!table || (names.length > 0 && !names.some((rel) => rel.relname === alias))) continue
      if (entry.nullable) refuseNullable(entry, title, where)
      const before = found.get(slot)
      analysis.use(table, 2)
      if (table.partitionKey) for (const home of homesOf(analysis, table)) analysis.use(home, 2)
      analysis.locks = title
      const strongest = Math.max(mode, before?.mode ?? 0) as RowLockMode
      const strictest = ranks[Math.max(ranks.indexOf(policy), ranks.indexOf(before?.policy ?? 'wait'))]!
      found.set(slot, { table, slot, mode: strongest, policy: strictest })
    }
  }
  return [...found.values()]
}

/**
 * Refuses to lock the nullable side of an outer join. If a condition requires a row on that side,
 * the planner may turn the outer join into an inner join, depending on how the condition is
 * written, so that case is unsupported.
 */
function refuseNullable({ columns }: RangeEntry, title: string, where: Node | undefined): void {
  const named = where ? columnsIn(where) : []
  if (columns.some(({ name }) => named.includes(name)))
    throw new UnsupportedSql(`${title} of an outer join with a condition on its nullable side`)
  throw new SqlError('0A000', `${title} cannot be applied to the nullable side of an outer join`)
}

/**
 * Locks the rows of these tables that belong to the result row. Returns false if a row is skipped,
 * deleted, or changed so that it no longer matches.
 */
export function* lockRow(
  run: Run,
  row: Row,
  tables: readonly LockedTable[],
  isAskedFor: (row: Row) => Running<boolean>,
): Running<boolean> {
  let changed = false
  for (const { table: named, slot, mode, policy } of tables) {
    const version = row.versions[slot]
    // For an outer join, there may be no row of this table.
    if (!version) continue
    const table = homeOf(named, version)
    const result = yield* acquireRow(run, table, version, mode, policy, 'locking', true)
    if (result === 'would block' || result === 'own') return false
    if (result === 'locked') {
      markLocked(run, version, mode)
      continue
    }
    if (run.backend.state.current!.keepsSnapshot) {
      throw new SqlError('40001', 'could not serialize access due to concurrent update')
    }
    if (result === 'deleted') return false
    const latest = yield* lockNext(run, table, version, mode, policy, true)
    if (latest === 'deleted' || latest === 'would block') return false
    row.versions[slot] = latest
    row.slots[slot] = latest.values
    row.waited = null
    changed = true
  }
  return !changed || (yield* isAskedFor(row))
}
