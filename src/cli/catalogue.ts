/** The scenarios and implementations of the package, by id, and the files that a glob matches. */
import fs from 'node:fs'
import path from 'node:path'
import type { CostedScenario } from '../campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { runMsOf } from '../contract/api/scenario.ts'
import { packageFolder } from '../sim/adapters/subpaths.ts'

export type Kind = 'scenario' | 'implementation'

export interface Entry {
  /** The name of the file without its extension, which is also the id of the layer or scenario. */
  readonly id: string
  readonly path: string
}

export { packageFolder }

export function catalogue(kind: Kind): readonly Entry[] {
  const folder = path.join(packageFolder, `${kind}s`)
  if (!fs.existsSync(folder)) return []
  return filesUnder(folder)
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.endsWith('.d.ts') && !isPart(file))
    .map((file) => ({ id: idOf(file), path: file }))
}

/**
 * The catalogue's scenarios in which smaller counterexamples are searched for, the cheapest first.
 * Pure scenarios are omitted, because they guarantee more about a plan than its kinds of faults.
 * Otherwise a run without any fault would be reported as a run of a pure scenario.
 * @throws LoadError
 */
export async function cheapestScenarios(deps: Pick<CampaignDeps, 'loadScenario'>): Promise<CostedScenario[]> {
  const all = await Promise.all(
    catalogue('scenario').map(async ({ id, path: file }) => {
      const scenario = await deps.loadScenario(file)
      const costed = { scenarioPath: file, scenarioName: id, runMs: runMsOf(scenario) }
      return scenario.onlyFaults === undefined ? [costed] : []
    }),
  )
  return all.flat().sort((a, b) => a.runMs - b.runMs || (a.scenarioName < b.scenarioName ? -1 : 1))
}

/**
 * True for a file in a folder named `parts`, which contains code that several layers or scenarios
 * share.
 */
function isPart(file: string): boolean {
  return path.basename(path.dirname(file)) === 'parts'
}

/** The id of a file; for an index file, the name of its folder. */
function idOf(file: string): string {
  const name = path.basename(file).replace(/\.[cm]?[jt]s$/, '')
  return name === 'index' ? path.basename(path.dirname(file)) : name
}

const canariesFolder = path.join(packageFolder, 'implementations', 'canaries')

/** True for every file in the folder of canaries. */
export function isCanary(entry: Entry): boolean {
  return entry.path.startsWith(`${canariesFolder}${path.sep}`)
}

const assumingFolders = ['correct', 'repaired'].map((name) => path.join(packageFolder, 'implementations', name))

/**
 * True for a layer of docs/findings/correct-layers.md or docs/findings/instead.md, which is correct
 * only under its assumptions.
 */
export function isAssuming(entry: Entry): boolean {
  return assumingFolders.some((folder) => entry.path.startsWith(`${folder}${path.sep}`))
}

const librariesFolder = path.join(packageFolder, 'implementations', 'third-party')

/**
 * True for a third-party library of docs/findings/library-comparison.md, which can be loaded only
 * if its package is installed.
 */
export function isLibrary(entry: Entry): boolean {
  return entry.path.startsWith(`${librariesFolder}${path.sep}`)
}

/**
 * True for an adapter that uses other entry points of the reference than `run`. Its file is beside
 * `reference.ts`, and its name begins with `reference-`.
 */
export function isOtherEntryPoint({ id, path: file }: Entry): boolean {
  return id.startsWith('reference-') && path.basename(path.dirname(file)) === 'reference'
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/** The regular expression for a glob. `*` and `?` do not match `/`; `**` does. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/^\.\//, '').replaceAll(/\*\*\/?|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found.startsWith('**')) return found.endsWith('/') ? '(?:.*/)?' : '.*'
    if (found === '*') return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
  return new RegExp(`^${source}$`)
}

/** Matching files, as sorted absolute paths. Relative globs start at the working directory. */
export function globFiles(glob: string): string[] {
  const absolute = path.resolve(glob).split(path.sep).join('/')
  const pattern = globPattern(absolute)
  const root = absolute.slice(0, absolute.slice(0, absolute.search(/[*?]/)).lastIndexOf('/') + 1)
  if (!fs.existsSync(root)) return []
  return filesUnder(root).filter((file) => pattern.test(file.split(path.sep).join('/')))
}

/** All files of a folder and its subfolders, sorted, without dependencies and hidden folders. */
export function filesUnder(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? filesUnder(file) : [file]
    })
}
