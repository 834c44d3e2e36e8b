/**
 * The fields of ErrorResponse and NoticeResponse:
 * https://www.postgresql.org/docs/15/protocol-error-fields.html
 */
export interface SqlNotice {
  readonly severity: 'ERROR' | 'FATAL' | 'PANIC' | 'WARNING' | 'NOTICE' | 'INFO'
  /** The SQLSTATE code. */
  readonly code: string
  readonly message: string
  readonly detail?: string
  readonly hint?: string
  /** Position in the statement's text, in characters from 1. */
  readonly position?: number
  readonly where?: string
  readonly schema?: string
  readonly table?: string
  readonly column?: string
  readonly dataType?: string
  readonly constraint?: string
}

export type ErrorFields = Omit<Partial<SqlNotice>, 'code' | 'message'>

export class SqlError extends Error implements SqlNotice {
  readonly severity: SqlNotice['severity']
  readonly code: string
  readonly fields: ErrorFields

  constructor(code: string, message: string, fields: ErrorFields = {}) {
    super(message)
    this.code = code
    this.fields = fields
    this.severity = fields.severity ?? 'ERROR'
  }

  get detail() {
    return this.fields.detail!
  }
  get hint() {
    return this.fields.hint!
  }
  get position() {
    return this.fields.position!
  }
  get where() {
    return this.fields.where!
  }
  get schema() {
    return this.fields.schema!
  }
  get table() {
    return this.fields.table!
  }
  get column() {
    return this.fields.column!
  }
  get dataType() {
    return this.fields.dataType!
  }
  get constraint() {
    return this.fields.constraint!
  }

  with(fields: ErrorFields): SqlError {
    return new SqlError(this.code, this.message, { ...this.fields, ...fields })
  }
}

/**
 * The error for SQL that PostgreSQL may accept and this server does not accept. The code is 0A000.
 * The run is reported as unsupported, with `what` as the name of the feature.
 */
export class UnsupportedSql extends SqlError {
  readonly what: string

  constructor(what: string) {
    super('0A000', `${what} is not simulated`)
    this.what = what
  }

  /** Adds no fields: the error only contains the name of the feature. */
  override with(): SqlError {
    return this
  }
}
