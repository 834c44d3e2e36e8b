import { type Session, SqlError, type Statement } from '../index.ts'
import { rowsOf } from './answer.ts'
import * as backend from './backend.ts'
import type { Execution } from './execution.ts'
import type { Output } from './output.ts'

/**
 * Executes all statements of one text as one transaction (PostgreSQL 15, chapter 55.2.2). `done` is
 * called when ReadyForQuery is due.
 */
export function simpleQuery(
  sql: string,
  session: Session,
  execution: Execution,
  output: Output,
  done: () => void,
): void {
  let statements: readonly Statement[]
  try {
    statements = session.parse(sql)
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    output.error(error)
    return done()
  }
  if (statements.length === 0) output.add(backend.emptyQueryResponse)
  if (statements.length > 1) execution.beginImplicit(true)
  /**
   * Runs the statements in order. The CommandComplete of the last statement is sent after the
   * transaction has ended, and omitted if the commit fails.
   */
  const run = ([statement, ...more]: readonly Statement[], complete = ''): void => {
    if (statement === undefined) return execution.endImplicit(true, done, complete)
    output.add(complete)
    execution.execute(statement, [], (outcome) => {
      if (!outcome.ok) {
        output.error(outcome.error)
        return execution.endImplicit(false, done)
      }
      const { fields } = outcome
      const asText = fields?.map(() => 0) ?? []
      const { rows, tag } = rowsOf(outcome, asText)
      if (fields !== null) output.add(backend.rowDescription(fields, asText))
      output.add(rows.join(''))
      run(more, backend.commandComplete(tag))
    })
  }
  run(statements)
}
