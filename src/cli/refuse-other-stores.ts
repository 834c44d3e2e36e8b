import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { PairChoice } from '../campaign/campaign-request.ts'
import { usualStores } from '../contract/store.ts'
import { UsageError } from './usage-error.ts'

/** Hosts of real servers have Redis. @throws UsageError where a layer asks for another store */
export async function refuseOtherStores(
  choices: readonly PairChoice[],
  command: 'live' | 'confirm',
  deps: Pick<CampaignDeps, 'loadImplementation'>,
): Promise<void> {
  for (const { implementationPath } of choices) {
    const { id, stores = usualStores } = (await deps.loadImplementation(implementationPath)).implementation
    const other = stores.find((store) => store !== 'redis')
    if (other !== undefined)
      throw new UsageError(id, `it asks for ${other}, which is there in the simulator only; leave \`${command}\` out`)
  }
}
