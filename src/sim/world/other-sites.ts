import { loadSqlParser } from 'postgres-sim'
import type { StoreKind } from '../../contract/api/store.ts'
import { DynamoDBSite } from './dynamodb/dynamodb-site.ts'
import { PostgresSite } from './postgres/postgres-site.ts'
import type { SiteContext, StoreSite } from './store-site.ts'

interface Maker {
  /** Called once per thread, in real time, before the first run that uses the store. */
  prepare(): Promise<void>
  make(context: SiteContext): StoreSite
}

const makers: Readonly<Record<Exclude<StoreKind, 'redis'>, Maker>> = {
  dynamodb: { prepare: async () => {}, make: (context) => new DynamoDBSite(context) },
  postgres: { prepare: loadSqlParser, make: (context) => new PostgresSite(context) },
}

const besideRedis = (stores: readonly StoreKind[]) => [...new Set(stores)].filter((kind) => kind !== 'redis')

export async function prepareOtherSites(stores: readonly StoreKind[]): Promise<void> {
  for (const kind of besideRedis(stores)) await makers[kind].prepare()
}

/** The stores other than Redis that a layer needs. */
export function otherSites(stores: readonly StoreKind[], context: SiteContext): ReadonlyMap<StoreKind, StoreSite> {
  return new Map(besideRedis(stores).map((kind) => [kind, makers[kind].make(context)]))
}
