/** Numbers and labels SQL statements as they are sent by a consumer's process on one connection. */
import { effectsTable, requestIdOf } from '../../run/sink/effects-table.ts'
import { labelOfStatement } from '../../run/statement-labels.ts'
import { type Statement, StatementSubject } from '../../run/statement-subject.ts'
import { limits, nextCommand } from './sent-command.ts'

/** Statements that the server answers together, usually one statement. */
export interface SentStatements {
  /** The label of the first labelled statement. */
  label: string | null
  command: number
  text: string
  /** Called once the answer has arrived; null before the statements were sent. */
  answered: (() => void) | null
}

export const unlabelled = (): SentStatements => ({ label: null, command: 0, text: '', answered: null })

export class ConnectionStatements {
  readonly #subject = new StatementSubject()
  /** Effects whose rows were inserted since the last commit. */
  #effects: number[] = []

  /**
   * Gives `sent` the label of the first labelled statement, unless it already has one. Returns true
   * if `sent` got a label now.
   */
  note(statements: readonly Statement[], sent: SentStatements): boolean {
    let isNew = false
    for (const statement of statements) {
      const label = labelOfStatement(statement.text)
      if (label === null) continue
      this.#subject.comes(label, statement)
      limits.noteStatement(statement.text, statement.parameters)
      this.#effects.push(...effectsOf(statement))
      if (sent.label !== null) continue
      isNew = true
      Object.assign(sent, { label, command: nextCommand(), text: textOf(statement) })
    }
    return isNew
  }

  /** What the statements so far concern; undefined if they named nothing. */
  get about(): string | undefined {
    return this.#subject.text
  }

  /**
   * Must be called at the end of a transaction. Returns the effects that the process now knows to
   * be committed.
   */
  ended(committed: boolean): readonly number[] {
    const effects = this.#effects
    this.#effects = []
    return committed ? effects : []
  }
}

/** The numbers of requests whose effects a statement inserts. */
function effectsOf({ text, parameters }: Statement): number[] {
  if (!text.includes(effectsTable)) return []
  return parameters.flatMap((one) => requestIdOf(one ?? '') ?? [])
}

/** The statement on one line, for reports. */
function textOf({ text, parameters }: Statement): string {
  const words = [text.replace(/\s+/g, ' ').trim(), ...parameters.map((one) => one ?? 'NULL')]
  return words.map((word) => (word.length > 100 ? `${word.slice(0, 99)}…` : word)).join(' ')
}
