import { type Clause, evaluateClause } from '../expressions/expression.ts'
import type { Row } from '../run.ts'
import { stillFits } from './recheck.ts'
import type { Source } from './source.ts'

export function joined(left: Source, right: Source, on: Clause | null, kind: 'JOIN_INNER' | 'JOIN_LEFT'): Source {
  return {
    slots: [...left.slots, ...right.slots],
    mayWait: left.mayWait || right.mayWait || (on?.parts.length ?? 0) > 0,
    *rows(run, outer, size) {
      const lefts = yield* left.rows(run, outer, size)
      const rights = yield* right.rows(run, outer, size)
      const found: Row[] = []
      for (const one of lefts) {
        let matched = false
        for (const other of rights) {
          const both = merged(one, other, right.slots)
          if (on && (yield* evaluateClause(on, both)) !== true) continue
          matched = true
          found.push(both)
        }
        if (!matched && kind === 'JOIN_LEFT') found.push(one)
      }
      return found
    },
    *stillThere(row) {
      if (left.stillThere && !(yield* left.stillThere(row))) return false
      // The outer join had no match for this row, so no match is searched now.
      if (right.slots.every((slot) => row.slots[slot] === null)) return true
      if ((!right.stillThere || (yield* right.stillThere(row))) && (yield* stillFits(row, on))) return true
      for (const slot of right.slots) row.versions[slot] = row.slots[slot] = null
      return kind === 'JOIN_LEFT'
    },
  }
}

function merged(left: Row, right: Row, slots: readonly number[]): Row {
  const row = { ...left, slots: [...left.slots], versions: [...left.versions], waited: null }
  for (const slot of slots) {
    row.slots[slot] = right.slots[slot]!
    row.versions[slot] = right.versions[slot]!
  }
  return row
}
