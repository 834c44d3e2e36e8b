export type {
  CommittedRow,
  DatabaseHost,
  Field,
  Outcome,
  Session,
  SessionClient,
  Startup,
  Statement,
} from './border.ts'
export { Database, type DatabaseSettings } from './database.ts'
export { loadSqlParser, type ParsedStatement, parseSql } from './parser/parse-sql.ts'
export { SqlError, type SqlNotice } from './sql-error.ts'
