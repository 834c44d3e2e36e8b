import type { Answer } from 'test-servers'
import { type Outcome, type Session, SqlError, type Statement } from '../src/index.ts'

/** Returns and clears the notices that the session has sent. */
type TakeNotes = () => readonly string[]

/**
 * Runs a text in a simulated session as a simple query: several statements are one transaction, and
 * the statements after an error are not executed. Calls `done` with the result of each statement.
 */
export function askText(
  session: Session,
  sql: string,
  toError: (error: SqlError) => Readonly<Record<string, string>>,
  takeNotes: TakeNotes,
  done: (answers: readonly Answer[]) => void,
): void {
  const answers: Answer[] = []
  const failed = (error: SqlError) => answers.push({ error: toError(error), notes: takeNotes() })
  let statements: readonly Statement[]
  try {
    statements = session.parse(sql)
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    failed(error)
    return done(answers)
  }
  const isImplicit = statements.length > 1 && session.status === 'I'
  if (isImplicit) session.beginImplicit(true)
  const end = (ok: boolean) => {
    if (!isImplicit) return done(answers)
    session.endImplicit(ok, (error) => {
      // The last statement is answered after the transaction has ended. If the commit fails, the
      // error of the commit is the answer.
      if (error) {
        answers.pop()
        failed(error)
      }
      done(answers)
    })
  }
  const run = ([statement, ...more]: readonly Statement[]): void => {
    if (!statement) return end(true)
    session.execute(statement, [], (outcome) => {
      if (!outcome.ok) {
        failed(outcome.error)
        return end(false)
      }
      answers.push(answerOf(outcome, takeNotes()))
      run(more)
    })
  }
  run(statements)
}

function answerOf({ tag, fields, rows }: Outcome & { ok: true }, notes: readonly string[]): Answer {
  return { tag, columns: (fields ?? []).map(({ name, typeOid }) => [name, typeOid] as const), rows, notes }
}
