import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { PairChoice } from '../campaign/campaign-request.ts'
import { type StoreKind, usualStores } from '../contract/store.ts'
import { UsageError } from './usage-error.ts'

const real = {
  live: ['redis', 'postgres'],
  confirm: ['redis'],
} as const satisfies Record<string, readonly StoreKind[]>

/** The stores that some of the layers ask for. @throws UsageError where one is there in the simulator only */
export async function storesOf(
  choices: readonly PairChoice[],
  command: keyof typeof real,
  deps: Pick<CampaignDeps, 'loadImplementation'>,
): Promise<ReadonlySet<StoreKind>> {
  const asked = new Set<StoreKind>()
  const there: readonly StoreKind[] = real[command]
  for (const { implementationPath } of choices) {
    const { id, stores = usualStores } = (await deps.loadImplementation(implementationPath)).implementation
    const other = stores.find((store) => !there.includes(store))
    if (other !== undefined)
      throw new UsageError(id, `it asks for ${other}, which \`${command}\` does not have; leave it out`)
    for (const store of stores) asked.add(store)
  }
  return asked
}
