/**
 * Selects the layer and the scenario of a token or a recorded run. Such data is untrusted, so files
 * outside of the catalogue are loaded only if the user names them.
 */
import fs from 'node:fs'
import path from 'node:path'
import { isPath } from '../campaign/token/pair-ref.ts'
import { quoted } from '../campaign/token/replay-command.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { twoVersions } from '../contract/api/two-versions.ts'
import { catalogue, type Kind } from './catalogue.ts'
import { type Selected, select, together } from './select.ts'
import { UsageError } from './usage-error.ts'

type Loaders = Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>

/** A layer, as named on the command line. */
export interface GivenLayer {
  readonly impl?: string | undefined
  readonly withNext?: string | undefined
}

/** The layer of a recorded run, or its two versions. Each is selected as in `selectRecorded`. */
export async function selectRecordedLayer(
  name: string,
  { impl, withNext }: GivenLayer,
  deps: Loaders,
): Promise<Selected> {
  const both = twoVersions(name)
  if (both === null && withNext !== undefined)
    throw new UsageError(`--with-next ${withNext}`, `the run has only the version ${name}; remove the option`)
  if (both === null) return selectRecorded('implementation', name, impl, deps)
  const from = await selectRecorded('implementation', both.from, impl, deps)
  return together(from, await selectRecorded('implementation', both.next, withNext, deps, '--with-next'))
}

/** The name for a hint. A path that does not exist here is replaced by a placeholder. */
const here = (name: string): string =>
  isProgram(name) || fs.existsSync(name) ? quoted(name) : `<the path of ${path.basename(name)}>`

const optionOf: Readonly<Record<Kind, string>> = { implementation: '--impl', scenario: '--scenario' }

/**
 * The file of a recorded name: an entry of the catalogue, or the file `given` on the command line.
 * The path of that file may differ from the path on the machine that recorded the run.
 * @throws UsageError, LoadError
 */
export async function selectRecorded(
  kind: Kind,
  name: string,
  given: string | undefined,
  deps: Loaders,
  option = optionOf[kind],
): Promise<Selected> {
  const isFile = isPath(name) && !catalogue(kind).some(({ id }) => id === name)
  if (given === undefined && isFile)
    throw new UsageError(
      `${kind} ${name}`,
      `the run needs a ${isProgram(name) ? 'program' : 'file'} that you must name yourself: ${option} ${here(name)}`,
    )
  const isSource = isFile && !isProgram(name)
  // The digest of the layer in the token detects a different file, so the name of the file does not
  // matter.
  const isFitting = isSource && given !== undefined ? isPath(given) && !isProgram(given) : given === name
  if (given !== undefined && !isFitting)
    throw new UsageError(`${option} ${given}`, `the run has the ${kind} ${name}; name that, or remove the option`)
  const [one] = await select(kind, [isSource ? given! : name], deps)
  return one!
}
