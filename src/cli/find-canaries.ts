/** The canaries of the catalogue, and those that the user names. */
import path from 'node:path'
import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import type { CanaryUnderTest } from '../campaign/check-canary.ts'
import { readIdentity } from '../sim/runtime/load-implementation.ts'
import { catalogue, type Entry, packageFolder } from './catalogue.ts'
import { choose } from './choose.ts'
import type { Selected } from './select.ts'
import { shownPath, UsageError } from './usage-error.ts'

/** @throws UsageError, LoadError */
export async function findCanaries(
  only: readonly string[] | undefined,
  deps: CampaignDeps,
): Promise<CanaryUnderTest[]> {
  const files = only === undefined ? ofCatalogue() : await choose('implementation', only, deps)
  const found: CanaryUnderTest[] = []
  for (const { name, path: file } of files) {
    const { about = '', hunt } = await readIdentity(file)
    if (hunt === undefined) throw new UsageError(shownPath(file), 'it is no canary: nothing says how it is hunted')
    const chosen = await choose('scenario', hunt.scenarios, deps)
    const scenarios = chosen.map((one) => ({ scenarioPath: one.path, scenarioName: one.name }))
    const layer = { implementationPath: file, implementationName: name, sink: hunt.sink ?? 'plain' }
    found.push({ ...layer, about, hunt, scenarios })
  }
  return found
}

/** Everything in the folder of canaries is one, or is misplaced there. */
export function isCanary(entry: Entry): boolean {
  return entry.path.startsWith(folder + path.sep)
}

const folder = path.join(packageFolder, 'implementations', 'canaries')

function ofCatalogue(): Selected[] {
  return catalogue('implementation')
    .filter(isCanary)
    .map(({ id, path: file }) => ({ name: id, path: file }))
}
