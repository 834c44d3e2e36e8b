/**
 * Ends a run with a table of the skipped groups and the command that installs the missing programs.
 */
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import type { MissingNeed } from './needs.ts'

export default class SkippedTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const groups = modules.flatMap(({ children }) => [...children.allSuites(), ...children.allTests()])
    const lines = skippedLines(groups.flatMap(skippedIn))
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`)
  }
}

/** A need that skipped a group with that many tests. */
export interface Skipped {
  readonly need: MissingNeed
  readonly tests: number
}

function skippedIn(group: TestSuite | TestCase): Skipped[] {
  // A group passes its needs on to the groups and tests in it.
  if (group.parent.type === 'suite' && group.parent.meta().missing !== undefined) return []
  const tests = group.type === 'suite' ? [...group.children.allTests()].length : 1
  return (group.meta().missing ?? []).map((need) => ({ need, tests }))
}

export function skippedLines(skipped: readonly Skipped[]): string[] {
  const rows = new Map<string, { need: MissingNeed; groups: number; tests: number }>()
  for (const { need, tests } of skipped) {
    const row = rows.get(need.what) ?? { need, groups: 0, tests: 0 }
    rows.set(need.what, { need, groups: row.groups + 1, tests: row.tests + tests })
  }
  if (rows.size === 0) return []
  const cells = [...rows.values()].map(({ need, groups, tests }) => [need.what, need.why, `${groups}`, `${tests}`])
  const table = aligned([['skipped: needs', 'because', 'groups', 'tests'], ...cells])
  const installs = [...new Set([...rows.values()].flatMap(({ need }) => need.install ?? []))].sort()
  if (installs.length === 0) return table
  return [...table, `to run them on Debian: apt-get install ${installs.join(' ')}`]
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
