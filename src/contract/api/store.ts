/** The stores in which layers keep idempotency records. */
export const storeKinds = ['redis', 'postgres', 'dynamodb'] as const
/**
 * A store in which a layer keeps its records.
 * @example
 * ```ts
 * import type { StoreKind } from 'onceproof'
 *
 * const stores: readonly StoreKind[] = ['postgres']
 * ```
 */
export type StoreKind = (typeof storeKinds)[number]

/** The stores of a layer or a scenario that declares none. */
export const usualStores: readonly StoreKind[] = ['redis']

/**
 * The shape of a scenario's Redis: one server, replicas with Sentinels, a Cluster, or several
 * servers that do not know each other.
 */
export const shapes = ['single', 'sentinel', 'cluster', 'independent'] as const
/**
 * A shape of Redis: one of `shapes`.
 * @example
 * ```ts
 * import type { Shape } from 'onceproof'
 *
 * const shapes: readonly Shape[] = ['single', 'cluster']
 * ```
 */
export type Shape = (typeof shapes)[number]

/**
 * The address of PostgreSQL, in the forms that clients take.
 * @example
 * ```ts
 * import type { PostgresAddress } from 'onceproof'
 * import pg from 'pg'
 *
 * const pool = ({ options }: PostgresAddress): pg.Pool => new pg.Pool(options)
 * ```
 */
export interface PostgresAddress {
  /** Options of `pg`: `new Pool(postgres.options)`. The user may create tables. */
  readonly options: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly password: string
    readonly database: string
  }
  /** `postgres://user:password@host:port/database`, for other clients. */
  readonly url: string
  /**
   * The standby that may replace this server. A synchronous standby has each commit before the
   * commit is answered.
   */
  readonly standby?: 'synchronous' | 'asynchronous'
}

/** The address of DynamoDB, and a table that exists before the layer starts. */
export interface DynamoDBAddress {
  /**
   * Options of the AWS SDK: `new DynamoDBClient(dynamodb.options)`. The credentials may create
   * tables.
   */
  readonly options: {
    readonly endpoint: string
    readonly region: string
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  }
  /**
   * The name of the table. Its partition key is `idempotency_key` (a string), and its time-to-live
   * attribute is `ttl` (Unix time in seconds).
   */
  readonly table: string
}

/**
 * The addresses of the stores other than Redis. Each is present only for a layer that lists the
 * store in `stores`.
 * @example
 * ```ts
 * import type { StoreAddresses } from 'onceproof'
 *
 * const urlOf = ({ postgres }: StoreAddresses): string | undefined => postgres?.url
 * ```
 */
export interface StoreAddresses {
  readonly postgres?: PostgresAddress
  readonly dynamodb?: DynamoDBAddress
}

/** True if the layer keeps its records in one of the stores that the scenario is about. */
export function sharesStore(
  { stores: of = usualStores }: { readonly stores?: readonly StoreKind[] },
  { stores: about = usualStores }: { readonly stores?: readonly StoreKind[] },
): boolean {
  return of.some((store) => about.includes(store))
}

/**
 * Why a scenario does not apply to a layer, worded to follow `n/a, for …`; null if they share a
 * store.
 */
export function whyApart(
  layer: { readonly id: string; readonly stores?: readonly StoreKind[] },
  scenario: { readonly stores?: readonly StoreKind[]; readonly elsewhere?: string },
): string | null {
  if (sharesStore(layer, scenario)) return null
  const why = `tests ${storesText(scenario.stores)}, but ${layer.id} keeps its records in ${storesText(layer.stores)}`
  return scenario.elsewhere === undefined ? why : `${why}: ${scenario.elsewhere}`
}

const storeNames: Readonly<Record<StoreKind, string>> = {
  redis: 'Redis',
  postgres: 'PostgreSQL',
  dynamodb: 'DynamoDB',
}

export const storesText = (stores: readonly StoreKind[] = usualStores): string =>
  stores.map((store) => storeNames[store]).join(' and ') || 'no store that both versions use'
