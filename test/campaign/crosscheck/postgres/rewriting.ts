import type { Database, Session, Startup } from 'postgres-sim'

/** A server that reads each statement otherwise than it was asked. */
export const rewriting = (from: RegExp, to: string) => (database: Pick<Database, 'connect'>) => {
  const { connect } = database
  database.connect = function (this: Database, startup: Startup) {
    const session: Session = connect.call(this, startup)
    const parse = session.parse.bind(session)
    session.parse = (sql, types) => parse(sql.replace(from, to), types)
    return session
  }
}
