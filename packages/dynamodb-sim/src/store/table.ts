import { type AttributeValue, type Item, memberOf } from '../values/attribute-value.ts'
import { parseDecimal } from '../values/decimal.ts'
import { placeOf, sortText } from './place.ts'

export interface KeyAttribute {
  readonly name: string
  readonly type: 'S' | 'N' | 'B'
}

/** The parameters with which a table was created. */
export interface Definition {
  readonly name: string
  readonly partitionKey: KeyAttribute
  readonly sortKey: KeyAttribute | null
  readonly billing: 'PROVISIONED' | 'PAY_PER_REQUEST'
  readonly capacity: { readonly read: number; readonly write: number }
  readonly id: string
  readonly createdMs: number
  /** Time at which the table starts to accept requests, in milliseconds. */
  readonly activeFromMs: number
}

/** A write that an eventually consistent read may miss. */
interface Recent {
  readonly atMs: number
  readonly key: string
  readonly partition: string
  readonly before: Item | undefined
}

/**
 * Milliseconds for which a read may miss a write: "Consistency across all copies of data is usually
 * reached within a second" (developer guide, "Read consistency").
 */
const staleMs = 1000

/**
 * Maximum age of an expiry in milliseconds. If the expiry is older when an item is written, time to
 * live never deletes the item (developer guide, "Using time to live").
 */
const tooOldMs = 5 * 365 * 86_400_000

/**
 * The items of one table, the recent writes that eventually consistent reads may miss, and the
 * times of deletion by time to live.
 */
export class Table {
  deletedFromMs: number | null = null
  #timeToLive: string | null = null
  readonly #items = new Map<string, Item>()
  /** Times at which time to live deletes items, by key. */
  readonly #due = new Map<string, number>()
  #recent: Recent[] = []
  /** Keys in scan order; null if they must be sorted again. */
  #sorted: string[] | null = []

  constructor(
    readonly definition: Definition,
    /** Returns the milliseconds from an item's expiry to its deletion. */
    private readonly lateness: () => number,
  ) {}

  get keySchema(): readonly KeyAttribute[] {
    const { partitionKey, sortKey } = this.definition
    return sortKey === null ? [partitionKey] : [partitionKey, sortKey]
  }

  /**
   * The internal key of an item. Keys sort in the order of scans and queries. The item must be
   * valid.
   */
  keyOf(item: Item): string {
    const { sortKey } = this.definition
    const sort = sortKey === null ? '' : `${sortText(memberOf(item, sortKey.name)!)}/`
    return `${this.partitionOf(memberOf(item, this.definition.partitionKey.name)!)}${sort}`
  }

  /** The common prefix of the keys of a partition. */
  partitionOf(partitionKey: AttributeValue): string {
    return `${placeOf(partitionKey)}/${sortText(partitionKey)}/`
  }

  get(key: string): Item | undefined {
    return this.#items.get(key)
  }

  get keys(): readonly string[] {
    return (this.#sorted ??= [...this.#items.keys()].sort())
  }

  /** Writes an item; deletes it if `item` is undefined. */
  write(key: string, item: Item | undefined, nowMs: number): void {
    const before = this.#items.get(key)
    if (before === undefined && item === undefined) return
    this.#recent.push({ atMs: nowMs, key, partition: partitionIn(key), before })
    if ((before === undefined) !== (item === undefined)) this.#sorted = null
    if (item === undefined) this.#items.delete(key)
    else this.#items.set(key, item)
    this.#setDue(key, item, nowMs)
  }

  /**
   * The writes to a partition that a read may miss, newest first. `before` is the item before the
   * write.
   */
  missable(partition: string, nowMs: number): readonly { readonly key: string; readonly before: Item | undefined }[] {
    this.#forget(nowMs)
    return this.#recent.filter((recent) => recent.partition === partition).reverse()
  }

  /** The keys of all writes that a read may miss. */
  lately(nowMs: number): readonly string[] {
    this.#forget(nowMs)
    return this.#recent.map(({ key }) => key)
  }

  /** Makes all writes visible to every read. */
  settle(): void {
    this.#recent = []
  }

  #forget(nowMs: number): void {
    const from = this.#recent.findIndex(({ atMs }) => atMs > nowMs - staleMs)
    this.#recent = from === -1 ? [] : this.#recent.slice(from)
  }

  get timeToLive(): string | null {
    return this.#timeToLive
  }

  setTimeToLive(attribute: string | null, nowMs: number): void {
    this.#timeToLive = attribute
    for (const key of this.keys) this.#setDue(key, this.get(key), nowMs)
  }

  #setDue(key: string, item: Item | undefined, nowMs: number): void {
    this.#due.delete(key)
    if (item === undefined || this.#timeToLive === null) return
    const seconds = memberOf(item, this.#timeToLive)?.N
    if (seconds === undefined) return
    const { digits, exponent } = parseDecimal(seconds)!
    const expiryMs = Number(`${digits}e${exponent + 3}`)
    if (expiryMs > nowMs - tooOldMs) this.#due.set(key, expiryMs + this.lateness())
  }

  /** Deletes expired items that are due. @returns the items, in the order of deletion */
  expire(nowMs: number): readonly Item[] {
    const due = [...this.#due].filter(([, atMs]) => atMs <= nowMs).sort(([, one], [, other]) => one - other)
    const items = due.map(([key]) => this.#items.get(key)!)
    for (const [key, atMs] of due) this.write(key, undefined, atMs)
    // Recent writes are kept in order of time. The deletions may be older than other recent writes.
    this.#recent.sort((one, other) => one.atMs - other.atMs)
    return items
  }

  get size(): number {
    return this.#items.size
  }
}

/** The partition prefix of a key. */
export function partitionIn(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1) + 1)
}
