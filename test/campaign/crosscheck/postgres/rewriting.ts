import type { Database, Session, Startup } from 'postgres-sim'

/** Wraps a server so that it executes a rewritten text of each statement. */
export const rewriting = (from: RegExp, to: string) => (database: Pick<Database, 'connect'>) => {
  const { connect } = database
  database.connect = function (this: Database, startup: Startup) {
    const session: Session = connect.call(this, startup)
    const parse = session.parse.bind(session)
    session.parse = (sql, types) => parse(sql.replace(from, to), types)
    return session
  }
}
