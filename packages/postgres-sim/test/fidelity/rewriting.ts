import type { Database, Session } from '../../src/index.ts'

/** Makes the server faulty: it rewrites each statement before parsing. */
export const rewriting = (from: string | RegExp, to: string) => (database: Database) => {
  const connect = database.connect.bind(database)
  database.connect = (startup) => {
    const session: Session = connect(startup)
    const parse = session.parse.bind(session)
    session.parse = (sql, types) => parse(sql.replace(from, to), types)
    return session
  }
}
