/**
 * What there is: the scenarios and implementations of the package, known by id, and files that a
 * glob matches.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { CostedScenario } from '../campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { runMsOf } from '../contract/api/scenario.ts'
import { packageFolder } from '../sim/adapters/subpaths.ts'

export type Kind = 'scenario' | 'implementation'

export interface Entry {
  /** The file's name without its ending; what it exports has the same id. */
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
 * The catalogue's scenarios, the cheapest first: counterexamples are looked for in them. Pure ones
 * are left out, since they promise more of a plan than its kinds of faults: a run with no fault at
 * all would be told as theirs.
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

/** What several of them share, in folders of that name. */
function isPart(file: string): boolean {
  return path.basename(path.dirname(file)) === 'parts'
}

/** A folder with an index is known by the folder's name. */
function idOf(file: string): string {
  const name = path.basename(file).replace(/\.[cm]?[jt]s$/, '')
  return name === 'index' ? path.basename(path.dirname(file)) : name
}

const canariesFolder = path.join(packageFolder, 'implementations', 'canaries')

/** Everything in the folder of canaries is one, or is misplaced there. */
export function isCanary(entry: Entry): boolean {
  return entry.path.startsWith(`${canariesFolder}${path.sep}`)
}

const assumingFolders = ['correct', 'repaired'].map((name) => path.join(packageFolder, 'implementations', name))

/**
 * A layer of docs/findings/correct-layers.md or docs/findings/instead.md: correct, as long as its
 * assumptions are.
 */
export function isAssuming(entry: Entry): boolean {
  return assumingFolders.some((folder) => entry.path.startsWith(`${folder}${path.sep}`))
}

const librariesFolder = path.join(packageFolder, 'implementations', 'third-party')

/**
 * A library of docs/findings/library-comparison.md, which somebody else publishes. It can be loaded
 * where its package is installed.
 */
export function isLibrary(entry: Entry): boolean {
  return entry.path.startsWith(`${librariesFolder}${path.sep}`)
}

/**
 * An adapter of the reference that calls more of it than `run`: beside `reference.ts`, with a name
 * that begins like it.
 */
export function isOtherEntryPoint({ id, path: file }: Entry): boolean {
  return id.startsWith('reference-') && path.basename(path.dirname(file)) === 'reference'
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text)
}

/** `*` and `?` stop at folders, `**` does not. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/^\.\//, '').replaceAll(/\*\*\/?|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found.startsWith('**')) return found.endsWith('/') ? '(?:.*/)?' : '.*'
    if (found === '*') return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
  return new RegExp(`^${source}$`)
}

/** Files that match, as absolute paths in order; relative globs start at the working directory. */
export function globFiles(glob: string): string[] {
  const absolute = path.resolve(glob).split(path.sep).join('/')
  const pattern = globPattern(absolute)
  const root = absolute.slice(0, absolute.slice(0, absolute.search(/[*?]/)).lastIndexOf('/') + 1)
  if (!fs.existsSync(root)) return []
  return filesUnder(root).filter((file) => pattern.test(file.split(path.sep).join('/')))
}

/** All files of a folder and its folders, in order; dependencies and hidden folders left out. */
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
