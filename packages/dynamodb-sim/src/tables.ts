import assert from 'node:assert/strict'
import {
  internalError,
  notJson,
  ServiceError,
  serialization,
  throttled,
  transactionCancelled,
  transactionConflict,
  unknownOperation,
  validation,
} from './errors.ts'
import type { Fault, TablesHost } from './host.ts'
import { operations } from './operations/all.ts'
import type { Context } from './operations/context.ts'
import { notSimulated, type OperationName, operationNames } from './operations/names.ts'
import { type CreateTableRequest, createTable } from './operations/tables.ts'
import { crc32 } from './protocol/crc32.ts'
import { requestId } from './protocol/request-id.ts'
import { checkSignature } from './protocol/signature.ts'
import { checkConstraints } from './requests/constraints.ts'
import { readMembers } from './requests/read.ts'
import type { Shape, Structure } from './requests/shape.ts'
import { shapes } from './requests/shapes.ts'
import { checkTableName } from './requests/table-name.ts'
import { Catalogue } from './store/catalogue.ts'
import { Transactions } from './store/transactions.ts'
import { memberOf } from './values/attribute-value.ts'

export interface TablesRequest {
  /** Value of the header `X-Amz-Target`, for example `DynamoDB_20120810.PutItem`. */
  readonly target: string
  /** Header values by lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface TablesAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Amazon DynamoDB, API version 2012-08-10, in one region. Each request is executed at one moment.
 *
 * Fault model: the host can cause throttling, internal errors (before or after the write) and
 * transaction conflicts. Eventually consistent reads may miss writes of the last second. Time to
 * live deletes items up to 48 hours after their expiry. Not simulated: indexes, streams, PartiQL,
 * backups, global tables, capacity that runs out by itself, UpdateTable, legacy parameters
 * (`Expected`, `AttributesToGet`, …), and segments of scans. Their use is reported to the host.
 */
export class Tables {
  readonly #context: Context
  #answered = 0

  constructor(private readonly host: TablesHost) {
    this.#context = {
      host,
      catalogue: new Catalogue(() => host.nowMs()),
      transactions: new Transactions(),
      reading: { isConsistent: false, isBehind: false },
    }
  }

  /**
   * Creates a table that is active immediately. `timeToLive` names the attribute with the time to
   * live.
   */
  provision(table: CreateTableRequest, timeToLive?: string): void {
    createTable(table, 0)(this.#context)
    const { catalogue } = this.#context
    if (timeToLive !== undefined) catalogue.active(table.TableName).setTimeToLive(timeToLive, this.host.nowMs())
  }

  /** Makes all earlier writes visible to every read. */
  settle(): void {
    for (const table of this.#context.catalogue.all) table.settle()
  }

  answer(request: TablesRequest): TablesAnswer {
    assert(Number.isSafeInteger(this.host.nowMs()), 'the clock of the service shows whole milliseconds')
    const [status, content] = this.#statusAndContent(request)
    assert(typeof content === 'object' && content !== null, 'each request is answered with a JSON object')
    const body = JSON.stringify(content)
    return {
      status,
      headers: {
        Server: 'Server',
        Date: new Date(this.host.nowMs()).toUTCString(),
        'Content-Type': 'application/x-amz-json-1.0',
        'x-amzn-RequestId': requestId(++this.#answered),
        'x-amz-crc32': String(crc32(Buffer.from(body))),
      },
      body,
    }
  }

  #statusAndContent(request: TablesRequest): [number, object] {
    try {
      return [200, this.#done(request)]
    } catch (problem) {
      if (problem instanceof ServiceError) return [problem.status, problem.body]
      throw problem
    }
  }

  #done({ target, headers, body }: TablesRequest): object {
    const json = body === '' ? null : parsed(body)
    const operation = this.#operationOf(target)
    checkSignature(headers)
    if (json === null) throw notJson()
    const shape = shapes[operation]
    if (typeof json !== 'object' || Array.isArray(json)) throw serialization('Start of list found where not expected')
    const members = readMembers(shape, json, 'structure')
    this.#refuseUnsupported(operation, shape, json)
    checkTableName(operation, members.TableName)
    checkConstraints(shape, members)
    const work = operations[operation](members as never)
    this.#expire()
    return this.#served(operation, members, work)
  }

  #operationOf(target: string): OperationName {
    const [api, name = '', ...rest] = target.split('.')
    if (api !== 'DynamoDB_20120810' || rest.length > 0) throw unknownOperation()
    if (notSimulated.has(name)) this.host.unsupported(name)
    const operation = operationNames.find((one) => one === name)
    if (operation === undefined) throw unknownOperation()
    return operation
  }

  /** Reports members, at any depth, that the real service supports and the simulation does not. */
  #refuseUnsupported(operation: string, shape: Shape, json: unknown): void {
    if (json === null || typeof json !== 'object') return
    if (shape.kind === 'list')
      for (const member of json as unknown[]) this.#refuseUnsupported(operation, shape.of, member)
    if (shape.kind === 'map')
      for (const member of Object.values(json)) this.#refuseUnsupported(operation, shape.of, member)
    if (shape.kind !== 'structure') return
    this.#refuseMembers(operation, shape, json)
    for (const [name, member] of Object.entries(shape.members))
      this.#refuseUnsupported(operation, member, (json as Record<string, unknown>)[name])
  }

  #refuseMembers(operation: string, shape: Structure, json: object): void {
    const asked = shape.without.find((name) => ((json as Record<string, unknown>)[name] ?? null) !== null)
    if (asked === undefined) return
    this.host.unsupported(`${operation} with ${asked}`)
    throw validation(`${asked} of ${operation} is not simulated`)
  }

  #expire(): void {
    const { catalogue } = this.#context
    for (const table of catalogue.all)
      for (const item of table.expire(this.host.nowMs())) {
        const key = table.keySchema.map(({ name }) => Object.values(memberOf(item, name)!)[0]).join(' ')
        this.host.expired?.(table.definition.name, key)
      }
  }

  #served(operation: OperationName, members: Record<string, unknown>, work: (context: Context) => object): object {
    const fault = this.host.fault?.({ operation, tables: tablesIn(members) }) ?? null
    if (fault === null) return reads.has(operation) ? this.#read(work) : work(this.#context)
    assert(fault !== 'conflict' || !reads.has(operation), 'only writes and transactions meet with conflicts')
    if (fault === 'failed-after') this.#work(work)
    throw errorOf(fault, members)
  }

  #read(work: (context: Context) => object): object {
    const { host } = this
    const reading = { isConsistent: false, isBehind: false }
    const answer = work({ ...this.#context, reading })
    if (!reading.isBehind || host.missed === undefined) return answer
    const quiet: TablesHost = { nowMs: () => host.nowMs(), chance: () => 0, unsupported() {}, unjudged() {} }
    const consistent = work({ ...this.#context, host: quiet, reading: { isConsistent: true, isBehind: false } })
    if (JSON.stringify(consistent) !== JSON.stringify(answer)) host.missed(JSON.stringify(consistent))
    return answer
  }

  /**
   * Executes a request whose client receives an internal error. The result and the errors of the
   * request are dropped.
   */
  #work(work: (context: Context) => object): void {
    try {
      work(this.#context)
    } catch (problem) {
      if (!(problem instanceof ServiceError)) throw problem
    }
  }
}

const reads: ReadonlySet<OperationName> = new Set(['BatchGetItem', 'GetItem', 'Query', 'Scan'])

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw notJson()
  }
}

function tablesIn({ TableName, RequestItems, TransactItems }: Record<string, unknown>): string[] {
  if (typeof TableName === 'string') return [TableName]
  if (RequestItems !== undefined) return Object.keys(RequestItems as object)
  const actions = ((TransactItems ?? []) as object[]).flatMap((item) => Object.values(item) as { TableName: string }[])
  return [...new Set(actions.map((action) => action.TableName))]
}

function errorOf(fault: Fault, { TransactItems }: Record<string, unknown>): ServiceError {
  if (fault === 'throttled') return throttled()
  if (fault !== 'conflict') return internalError()
  if (TransactItems === undefined) return transactionConflict()
  const [, ...others] = TransactItems as unknown[]
  return transactionCancelled([
    { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
    ...others.map(() => ({ Code: 'None' }) as const),
  ])
}
