/** What idempotency records are kept in. */
export const storeKinds = ['redis', 'postgres', 'dynamodb'] as const
export type StoreKind = (typeof storeKinds)[number]

/** Those of a layer, or a scenario, that says nothing of them. */
export const usualStores: readonly StoreKind[] = ['redis']

/**
 * The Redis of a scenario: one server, replicas that Sentinels watch, a Cluster, or several servers
 * that know nothing of each other.
 */
export const shapes = ['single', 'sentinel', 'cluster', 'independent'] as const
export type Shape = (typeof shapes)[number]

/** Where PostgreSQL is, in the shapes that clients take. */
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
   * The standby that may take its place, as who deployed it knows: whether it has each commit
   * before its answer.
   */
  readonly standby?: 'synchronous' | 'asynchronous'
}

/** Where DynamoDB is, and the table that is there before the layer is. */
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
   * Its partition key is `idempotency_key` (a string), its time to live `ttl` (Unix time in
   * seconds).
   */
  readonly table: string
}

/** The stores beside Redis: each is there for a layer that names it in `stores`. */
export interface StoreAddresses {
  readonly postgres?: PostgresAddress
  readonly dynamodb?: DynamoDBAddress
}

/**
 * Whether a scenario about some stores says anything about a layer: it keeps its records in one of
 * them.
 */
export function sharesStore(
  { stores: of = usualStores }: { readonly stores?: readonly StoreKind[] },
  { stores: about = usualStores }: { readonly stores?: readonly StoreKind[] },
): boolean {
  return of.some((store) => about.includes(store))
}

/**
 * Why a scenario says nothing about a layer, as the rest of "n/a, for …"; null where they share a
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
  stores.map((store) => storeNames[store]).join(' and ') || 'no store of its other version'
