import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { Kind } from './catalogue.ts'
import { checkPlans } from './check-plans.ts'
import { type Selected, select } from './select.ts'

/** Files of that kind by id, path or glob; scenarios are ones that can be played. @throws UsageError, LoadError */
export async function choose(kind: Kind, names: readonly string[], deps: CampaignDeps): Promise<Selected[]> {
  const selected = await select(kind, names, async (file) => {
    if (kind === 'scenario') return (await deps.loadScenario(file)).id
    return (await deps.loadImplementation(file)).implementation.id
  })
  if (kind === 'scenario') for (const { path } of selected) checkPlans(path, await deps.loadScenario(path))
  return selected
}
