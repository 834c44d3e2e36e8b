import type { PairChoice } from '../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import { type StoreKind, usualStores } from '../contract/api/store.ts'
import { UsageError } from './usage-error.ts'

const real = {
  live: ['redis', 'postgres'],
  'replay-live': ['redis', 'postgres'],
} as const satisfies Record<string, readonly StoreKind[]>

type Command = keyof typeof real

/**
 * The first store of a layer for which the command has no real server; undefined if it has all.
 */
export function storeElsewhere(
  command: Command,
  { stores = usualStores }: Pick<Implementation, 'stores'>,
): StoreKind | undefined {
  const there: readonly StoreKind[] = real[command]
  return stores.find((store) => !there.includes(store))
}

/** The stores that the layers declare. @throws UsageError if one of them is only simulated */
export async function storesOf(
  choices: readonly PairChoice[],
  command: Command,
  deps: Pick<CampaignDeps, 'loadImplementation'>,
): Promise<ReadonlySet<StoreKind>> {
  const asked = new Set<StoreKind>()
  for (const { implementationPath } of choices) {
    const { implementation } = await deps.loadImplementation(implementationPath)
    const { id, stores = usualStores } = implementation
    const other = storeElsewhere(command, implementation)
    if (other !== undefined) throw new UsageError(id, `needs ${other}, which \`${command}\` does not have`)
    for (const store of stores) asked.add(store)
  }
  return asked
}
