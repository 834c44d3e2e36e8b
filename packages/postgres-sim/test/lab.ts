import { StillClock } from '../fidelity/still-clock.ts'
import {
  type CommittedRow,
  Database,
  type DatabaseSettings,
  loadSqlParser,
  type Outcome,
  type Session,
  SqlError,
} from '../src/index.ts'

await loadSqlParser()

/** A database with named sessions and a clock that only `pass` advances. */
export class Lab {
  readonly database: Database
  readonly unsupported: string[] = []
  readonly committed: CommittedRow[] = []
  /** The indexes of the woken sessions that run first; 0 after the end of the list. */
  order: number[] = []
  private readonly sessions = new Map<string, Session>()
  private readonly said = new Map<string, string[]>()
  private readonly clock = new StillClock()

  constructor(settings: DatabaseSettings = {}) {
    this.database = new Database(
      {
        nowUs: () => this.clock.nowUs,
        after: (delayUs, work) => this.clock.after(delayUs, work),
        chance: (what, n) => (what === 'which session goes on first' ? (this.order.shift() ?? 0) % n : 0),
        unsupported: (what) => this.unsupported.push(what),
        committed: (rows) => this.committed.push(...rows),
      },
      settings,
    )
  }

  session(name: string): Session {
    let session = this.sessions.get(name)
    if (!session) {
      session = this.database.connect({ user: 'app', database: 'app', parameters: {} })
      this.sessions.set(name, session)
    }
    return session
  }

  forget(name: string): void {
    this.sessions.delete(name)
  }

  /** Executes a statement. Returns its result, or `waits`; `later` then returns the result. */
  ask(name: string, sql: string, parameters?: readonly (string | null)[]): string {
    const session = this.session(name)
    let answer: string | null = null
    let now = true
    try {
      const [statement] = session.parse(
        sql,
        parameters?.map(() => 0),
      )
      session.execute(statement!, parameters ?? [], (outcome) => {
        if (now) answer = shown(outcome)
        else this.said.set(name, [...(this.said.get(name) ?? []), shown(outcome)])
      })
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      answer = shown({ ok: false, error })
    }
    now = false
    return answer ?? 'waits'
  }

  all(name: string, ...statements: readonly string[]): void {
    for (const sql of statements) this.ask(name, sql)
  }

  /** The next result of a session whose statement waited. */
  later(name: string): string | undefined {
    return this.said.get(name)?.shift()
  }

  error(name: string, sql: string): SqlError {
    const session = this.session(name)
    let found: SqlError | null = null
    try {
      session.execute(session.parse(sql)[0]!, [], (outcome) => {
        if (!outcome.ok) found = outcome.error
      })
    } catch (error) {
      found = error as SqlError
    }
    return found!
  }

  pass(us: number): void {
    this.clock.pass(us)
  }
}

/** Formats an outcome, such as `INSERT 0 1: a|1, b|2` or `23505 duplicate key …`. */
function shown(outcome: Outcome): string {
  if (!outcome.ok) return `${outcome.error.code} ${outcome.error.message}`
  const rows = outcome.rows.map((row) => row.map((value) => value ?? 'null').join('|'))
  return rows.length === 0 ? outcome.tag : `${outcome.tag}: ${rows.join(', ')}`
}

/** A lab with a table of keys and numbers. */
export function withKeys(settings: DatabaseSettings = {}): Lab {
  const lab = new Lab(settings)
  lab.all(
    'setup',
    'CREATE TABLE t (k text PRIMARY KEY, n int NOT NULL DEFAULT 0)',
    "INSERT INTO t VALUES ('a', 1), ('b', 2)",
  )
  return lab
}
