/**
 * Assigns PostgreSQL statements to transactions and deliveries. A pool gives one session to several
 * deliveries in turn, so a statement in a transaction belongs to the delivery of that transaction.
 * A statement outside of a transaction may belong to another delivery.
 */
import type { DeliveryRecord, HistoryIndex, RequestRecord } from '../../contract/api/history-index.ts'
import { mayBeOfAnother } from '../../contract/results/whose-command.ts'
import { effectsTable, requestIdOf } from '../../run/sink/effects-table.ts'
import { textOf } from '../../sim/world/text-of.ts'
import type { ExecutedCommand, StoreSession } from '../../sim/world.ts'

export interface Transaction {
  /** The statements from BEGIN to COMMIT or ROLLBACK; a single statement without BEGIN. */
  readonly statements: ExecutedCommand[]
  readonly isBlock: boolean
}

/** The transaction of each statement. */
export type Transactions = ReadonlyMap<ExecutedCommand, Transaction>

export const isControl = ({ label, session }: ExecutedCommand): boolean =>
  session !== undefined && /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/.test(label)

const isUnlock = ({ label }: ExecutedCommand): boolean => label.startsWith('SELECT pg_advisory_unlock')

export function transactionsOf(executed: readonly ExecutedCommand[]): Transactions {
  const found = new Map<ExecutedCommand, Transaction>()
  const open = new Map<StoreSession, Transaction>()
  for (const one of executed) {
    const { label, session } = one
    if (session === undefined) continue
    const begins = label === 'BEGIN'
    const own = open.get(session) ?? { statements: [], isBlock: begins }
    own.statements.push(one)
    found.set(one, own)
    if (begins) open.set(session, own)
    else if (label === 'COMMIT' || label === 'ROLLBACK') open.delete(session)
  }
  return found
}

/** The ids of the requests whose effects a transaction writes. */
export const requestsIn = ({ statements }: Transaction): readonly number[] =>
  statements.flatMap(({ label, args }) =>
    label === `INSERT ${effectsTable}` ? args.flatMap((word) => requestIdOf(word) ?? []) : [],
  )

/** The transaction that writes the effect. */
export const transactionFor = (transactions: Transactions, requestId: number): Transaction | undefined =>
  [...new Set(transactions.values())].find((one) => requestsIn(one).includes(requestId))

/** The request that a delivery sent, inferred from its answer or its process. */
export function requestOf(delivery: DeliveryRecord, reading: HistoryIndex): RequestRecord | undefined {
  const outcome = delivery.answered?.outcome
  const result = outcome?.status === 'done' ? outcome.result : null
  const effectId = typeof result === 'object' && result !== null && 'effectId' in result ? result.effectId : null
  const reported = typeof effectId === 'string' ? reading.requests.get(requestIdOf(effectId) ?? -1) : undefined
  if (reported?.sent.process === delivery.delivered.process) return reported
  return reading
    .requestsOf(delivery.delivered.key)
    .findLast((one) => one.delivery === delivery && (one.senders ?? []).length < 2)
}

/** Assigns statements to one attempt. */
export class OwnStatements {
  readonly #transactions: Transactions
  /** The attempt's own transaction, which is the one that contains its effect. */
  readonly #own: Transaction | undefined

  readonly delivery: DeliveryRecord
  readonly #requestId: number | null

  constructor(
    inferred: DeliveryRecord,
    /** The attempt's request to the sink. */
    request: RequestRecord | undefined,
    /** True if the request broke the invariant; false if the answer did. */
    private readonly isByEffect: boolean,
    private readonly executed: readonly ExecutedCommand[],
    private readonly reading: HistoryIndex,
  ) {
    this.#transactions = transactionsOf(executed)
    this.#requestId = request?.sent.requestId ?? null
    this.#own = this.#requestId === null ? undefined : transactionFor(this.#transactions, this.#requestId)
    const [begin] = this.#own?.isBlock === true ? this.#own.statements : []
    // The delivery that sent the effect must have arrived before the transaction's BEGIN.
    const had = request?.senders?.findLast(({ delivered }) => begin !== undefined && delivered.seq < begin.seq)
    this.delivery = inferred.delivered.seq < (begin?.seq ?? Number.POSITIVE_INFINITY) ? inferred : (had ?? inferred)
  }

  /** True for a statement in the transaction of the effect. */
  isCertain(one: ExecutedCommand): boolean {
    return this.#own?.isBlock === true && this.#transactions.get(one) === this.#own
  }

  /**
   * True for a statement that belongs to another delivery, or releases a lock that another delivery
   * may hold.
   */
  isForeign(one: ExecutedCommand): boolean {
    const transaction = this.#transactions.get(one)
    if (transaction === undefined || this.isCertain(one)) return false
    const words = transaction.statements.flatMap(({ args }) => args.map(textOf))
    if (!mayBeOfAnother({ seq: one.seq, words }, this.delivery, this.reading)) return false
    return transaction.isBlock || isUnlock(one) || requestsIn(transaction).some((id) => id !== this.#requestId)
  }

  /**
   * The deciding step among `steps`, which are in order. Statements that begin and end transactions
   * are not deciding steps. If the process had several deliveries, the result is the query whose
   * label the layer uses last before its first effect. Null if the last step is not a statement.
   */
  deciding(steps: readonly ExecutedCommand[]): ExecutedCommand | null {
    const last = steps.at(-1)
    if (last?.session === undefined) return null
    const asked = this.isByEffect ? steps.filter((one) => !isControl(one)) : steps
    const certain = asked.findLast((one) => this.isCertain(one))
    if (certain !== undefined) return certain
    const lastAsked = asked.at(-1) ?? last
    if (lastAsked.session === undefined || !this.#mayBeOfAnother(lastAsked)) return lastAsked
    const order = this.#orderOfQuestions()
    const rank = ({ label }: ExecutedCommand) => order.indexOf(label)
    const highest = Math.max(...asked.map(rank))
    if (highest < 0) return lastAsked
    const alike = asked.filter((one) => rank(one) === highest)
    // A delivery that found a row did not have to perform the effect, so a query without rows is
    // preferred.
    return alike.findLast(({ reply }) => reply === null) ?? alike.at(-1)!
  }

  #mayBeOfAnother({ seq, args }: ExecutedCommand): boolean {
    return mayBeOfAnother({ seq, words: args.map(textOf) }, this.delivery, this.reading)
  }

  /** Labels in the order of their first use, up to the first effect. */
  #orderOfQuestions(): string[] {
    const firstSeq = this.reading.of('effect-sent')[0]?.seq ?? Number.POSITIVE_INFINITY
    const before = this.executed.filter((one) => one.seq <= firstSeq && !isControl(one))
    return [...new Set(before.map(({ label }) => label))]
  }
}
