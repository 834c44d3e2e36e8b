import { type Session, SqlError, type Statement } from '../index.ts'
import * as backend from './backend.ts'
import { received, UnknownFormat } from './binary-values.ts'
import type { Execution } from './execution.ts'
import type { BindMessage, ExecuteMessage, NamedMessage, ParseMessage } from './frontend.ts'
import type { Output } from './output.ts'
import { Portal } from './portal.ts'

/** Messages of the extended protocol, except Flush and Sync. */
export type ExtendedMessage = ParseMessage | BindMessage | NamedMessage | ExecuteMessage

/** Prepared statements and portals of one session (PostgreSQL 15, chapter 55.2.3). */
export class ExtendedQuery {
  /** True after an error; messages are then ignored up to Sync. */
  skips = false
  readonly #statements = new Map<string, Statement>()
  readonly #portals = new Map<string, Portal>()

  constructor(
    private readonly session: Session,
    private readonly execution: Execution,
    private readonly output: Output,
    /** Reports SQL that PostgreSQL may accept and this server does not accept. */
    private readonly unsupported: (what: string) => void,
  ) {}

  /** Called for a simple query, which discards the unnamed statement and portal. */
  dropUnnamed(): void {
    this.#statements.delete('')
    this.#portals.delete('')
  }

  /** Called when the transaction has ended. */
  dropPortals(): void {
    this.#portals.clear()
  }

  /** Called for DISCARD ALL and DEALLOCATE ALL. */
  dropStatements(): void {
    this.#statements.clear()
  }

  take(message: ExtendedMessage): void {
    this.attempt(() => this.#take(message))
  }

  /** Handles Sync. `done` is called when ReadyForQuery is due. */
  sync(done: () => void): void {
    const ok = !this.skips
    this.skips = false
    this.execution.endImplicit(ok, done)
  }

  /** Runs `work`. An error is sent to the client, and further messages are ignored up to Sync. */
  attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** @throws the error if it is not an error for the client */
  #failed(error: unknown): void {
    if (error instanceof UnknownFormat) {
      this.unsupported(error.message)
      return this.#failed(new SqlError('0A000', `${error.message} is not simulated`))
    }
    if (!(error instanceof SqlError)) throw error
    this.session.fail()
    this.output.error(error)
    this.skips = true
  }

  #take(message: ExtendedMessage): void {
    switch (message.kind) {
      case 'parse':
        return this.#parse(message)
      case 'bind':
        return this.#bind(message)
      case 'describe':
        return message.what === 'S' ? this.#describeStatement(message.name) : this.#describePortal(message.name)
      case 'execute':
        return this.#execute(message.portal, message.maxRows)
      case 'close':
        if (message.what === 'S') this.#statements.delete(message.name)
        else this.#portals.delete(message.name)
        return this.output.add(backend.closeComplete)
    }
  }

  #parse({ name, sql, parameterTypes }: ParseMessage): void {
    this.execution.beginImplicit()
    if (name === '') this.#statements.delete('')
    else if (this.#statements.has(name)) throw new SqlError('42P05', `prepared statement "${name}" already exists`)
    const statements = this.session.parse(sql, parameterTypes)
    if (statements.length > 1) throw new SqlError('42601', 'cannot insert multiple commands into a prepared statement')
    this.#statements.set(name, statements[0] ?? emptyStatement)
    this.output.add(backend.parseComplete)
  }

  #bind({ portal, statement: name, parameterFormats, values, resultFormats }: BindMessage): void {
    this.execution.beginImplicit()
    const statement = this.#statementOf(name)
    const { parameterTypes } = statement
    if (parameterFormats.length > 1 && parameterFormats.length !== values.length)
      throw new SqlError(
        '08P01',
        `bind message has ${parameterFormats.length} parameter formats but ${values.length} parameters`,
      )
    if (values.length !== parameterTypes.length)
      throw new SqlError(
        '08P01',
        `bind message supplies ${values.length} parameters, but prepared statement "${name}" requires ${parameterTypes.length}`,
      )
    if (portal !== '' && this.#portals.has(portal)) throw new SqlError('42P03', `cursor "${portal}" already exists`)
    const parameters = values.map((value, at) => {
      if (value === null) return null
      const format = parameterFormats[parameterFormats.length > 1 ? at : 0] ?? 0
      let text: string | undefined
      try {
        text = received(parameterTypes[at]!, format, value, at + 1)
        this.session.check(statement, at, text)
        return text
      } catch (error) {
        const place = `${portal === '' ? 'unnamed portal' : `portal "${portal}"`} parameter $${at + 1}`
        throw within(format === 0 && text !== undefined ? `${place} = '...'` : place, error)
      }
    })
    const made = new Portal(statement, parameters, resultFormats)
    if (statement.fields !== null) made.formatsOf(statement.fields)
    this.#portals.set(portal, made)
    this.output.add(backend.bindComplete)
  }

  #describeStatement(name: string): void {
    this.execution.beginImplicit()
    const { parameterTypes, fields } = this.#statementOf(name)
    this.output.add(backend.parameterDescription(parameterTypes))
    const asText = fields?.map(() => 0) ?? []
    this.output.add(fields === null ? backend.noData : backend.rowDescription(fields, asText))
  }

  #describePortal(name: string): void {
    this.execution.beginImplicit()
    const portal = this.#portalOf(name)
    const { fields } = portal.statement
    this.output.add(fields === null ? backend.noData : backend.rowDescription(fields, portal.formatsOf(fields)))
  }

  #execute(name: string, maxRows: number): void {
    this.execution.beginImplicit()
    const portal = this.#portalOf(name)
    if (portal.statement === emptyStatement) return this.output.add(backend.emptyQueryResponse)
    if (portal.isOver) throw new SqlError('55000', `portal "${name}" cannot be run`)
    if (portal.wasExecuted) return this.#fetch(portal, maxRows)
    this.execution.execute(portal.statement, portal.parameters, (outcome) =>
      this.attempt(() => {
        if (!outcome.ok) throw outcome.error
        portal.gave(outcome)
        this.#fetch(portal, maxRows)
      }),
    )
  }

  #fetch(portal: Portal, maxRows: number): void {
    const { rows, tag } = portal.fetch(maxRows)
    this.output.add(rows.join('') + (tag === null ? backend.portalSuspended : backend.commandComplete(tag)))
  }

  #statementOf(name: string): Statement {
    const statement = this.#statements.get(name)
    if (statement !== undefined) return statement
    const which = name === '' ? 'unnamed prepared statement' : `prepared statement "${name}"`
    throw new SqlError('26000', `${which} does not exist`)
  }

  #portalOf(name: string): Portal {
    const portal = this.#portals.get(name)
    if (portal === undefined) throw new SqlError('34000', `portal "${name}" does not exist`)
    return portal
  }
}

/** Adds `where` to the context of an error. */
function within(where: string, error: unknown): unknown {
  if (!(error instanceof SqlError)) return error
  return error.with({ where: error.where === undefined ? where : `${error.where}\n${where}` })
}

/** The statement of a text that contains no statement. */
const emptyStatement: Statement = { text: '', tag: '', parameterTypes: [], fields: null }
