/** What a token or a file of a run names: data of a stranger, which loads nothing that its reader did not name. */
import path from 'node:path'
import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import { isPath } from '../campaign/pair-ref.ts'
import { quoted } from '../campaign/replay-command.ts'
import { isProgram } from '../contract/program-name.ts'
import { catalogue, type Kind } from './catalogue.ts'
import { type Selected, select } from './select.ts'
import { UsageError } from './usage-error.ts'

const optionOf: Readonly<Record<Kind, string>> = { implementation: '--impl', scenario: '--scenario' }

/**
 * The file of a recorded name: of the catalogue by its id, and any other only where `given`, from the command line, is
 * the same path. @throws UsageError, LoadError
 */
export async function selectRecorded(
  kind: Kind,
  name: string,
  given: string | undefined,
  deps: Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>,
): Promise<Selected> {
  const option = optionOf[kind]
  const isFile = isPath(name) && !catalogue(kind).some(({ id }) => id === name)
  if (given === undefined && isFile)
    throw new UsageError(
      `${kind} ${name}`,
      `the run is of a ${isProgram(name) ? 'program, which is started' : 'file, which is loaded'} only if you name it: ${option} ${quoted(name)}`,
    )
  const isSame = isFile && !isProgram(name) ? path.resolve(given ?? '') === path.resolve(name) : given === name
  if (given !== undefined && !isSame)
    throw new UsageError(`${option} ${given}`, `the run is of the ${kind} ${name}; name that, or leave the option out`)
  const [one] = await select(kind, [name], deps)
  return one!
}
