/** SQL statements as they leave a consumer's process by one connection, numbered and named. */
import { effectsTable, requestIdOf } from '../../run/sink/effects-table.ts'
import { labelOfStatement } from '../../run/statement-labels.ts'
import { type Statement, StatementSubject } from '../../run/statement-subject.ts'
import { limits, nextCommand } from './sent-command.ts'

/** What the server answers as one: usually one statement. */
export interface SentStatements {
  /** Of its first statement that has one. */
  label: string | null
  command: number
  text: string
  /** Told once its answer is there; null before it has left. */
  answered: (() => void) | null
}

export const unlabelled = (): SentStatements => ({ label: null, command: 0, text: '', answered: null })

export class ConnectionStatements {
  readonly #subject = new StatementSubject()
  /** Effects whose rows were inserted since the last commit. */
  #effects: number[] = []

  /** Of the statements' first label, where `sent` has none yet. Answers whether that is new. */
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

  /** What the statements so far are about; undefined where they named nothing. */
  get about(): string | undefined {
    return this.#subject.text
  }

  /** A transaction has ended: the effects that the process has heard of now. */
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

/** On one line, for people. */
function textOf({ text, parameters }: Statement): string {
  const words = [text.replace(/\s+/g, ' ').trim(), ...parameters.map((one) => one ?? 'NULL')]
  return words.map((word) => (word.length > 100 ? `${word.slice(0, 99)}…` : word)).join(' ')
}
