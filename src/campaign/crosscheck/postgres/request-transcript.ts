import { parseSql, SqlError } from 'postgres-sim'
import type { FrontendMessage } from 'postgres-sim/wire'
import { textOf } from 'postgres-sim/wire'
import { whyNotAsked } from './askable.ts'
import { withFunctions } from './clock-words.ts'

export interface Statement {
  readonly sql: string
  readonly values: readonly (string | null)[]
}

const nothing: Statement = { sql: '', values: [] }

/**
 * Follows the requests of one session message by message. Resolves the statement of each message,
 * and translates the message for another server.
 */
export class RequestTranscript {
  /** The statement that was executed last or is about to be executed. */
  current: Statement = nothing
  readonly #statements = new Map<string, string>()
  readonly #portals = new Map<string, Statement>()

  /**
   * Translates a message for another server, or returns why the message cannot be replayed there.
   */
  take(message: FrontendMessage): { readonly message: FrontendMessage } | { readonly why: string } {
    switch (message.kind) {
      case 'query':
        this.current = { sql: message.sql, values: [] }
        return this.#forOther(message, this.current)
      case 'parse':
        this.#statements.set(message.name, message.sql)
        return this.#forOther(message, { sql: message.sql, values: [] })
      case 'bind': {
        const values = message.values.map((value) => (value === null ? null : textOf(value)))
        const statement = { sql: this.#statements.get(message.statement) ?? '', values }
        this.#portals.set(message.portal, statement)
        const why = whyNotAsked('', values, [])
        return why === null ? { message } : { why }
      }
      case 'execute':
        this.current = this.#portals.get(message.portal) ?? nothing
        return { message }
      case 'other':
      case 'malformed':
        return { why: 'protocol messages other than statements' }
      default:
        return { message }
    }
  }

  #forOther<M extends { readonly sql: string } & FrontendMessage>(message: M, { sql, values }: Statement) {
    const nodes = nodesOf(sql)
    const why = whyNotAsked(sql, values, nodes)
    if (why !== null) return { why }
    const given = withFunctions(sql, nodes)
    return 'word' in given ? { why: `the clock of ${given.word}` } : { message: { ...message, sql: given.sql } }
  }
}

/** The number of statements in a text. */
export const statementsIn = (sql: string): number => nodesOf(sql).length

/**
 * The parsed statements; empty for invalid SQL, for which each server reports an error by itself.
 */
function nodesOf(sql: string) {
  try {
    return parseSql(sql).map(({ node }) => node)
  } catch (error) {
    if (error instanceof SqlError) return []
    throw error
  }
}

/** The statement on one line, for reports. */
export function described({ sql, values }: Statement): string {
  const text = sql.replace(/\s+/g, ' ').trim()
  const short = text.length <= 300 ? text : `${text.slice(0, 297)}...`
  return values.length === 0 ? short : `${short} with ${JSON.stringify(values)}`
}
