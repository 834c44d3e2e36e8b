export type {
  CommittedRow,
  DatabaseHost,
  Field,
  Outcome,
  Session,
  SessionClient,
  Startup,
  Statement,
} from './engine/border.ts'
export { Database, type DatabaseSettings } from './engine/database.ts'
export { loadSqlParser, type ParsedStatement, parseSql } from './engine/parser/parse-sql.ts'
export { SqlError, type SqlNotice } from './engine/sql-error.ts'
