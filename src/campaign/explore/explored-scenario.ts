import type { StoreKind } from '../../contract/api/store.ts'

/** By store: the scenario whose invariants judge the explored runs. */
export const judgingScenario: Readonly<Record<StoreKind, string>> = {
  redis: 'everything',
  postgres: 'postgres-crash',
  dynamodb: 'dynamodb-errors',
}

/** The scenario whose invariants judge explored runs with Sentinels. */
export const judgingWithSentinels = 'redis-failover'
