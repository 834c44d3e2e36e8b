/** Selects files, pairs, layers and canaries by ids, paths and globs. */
import fs from 'node:fs'
import path from 'node:path'
import type { CanaryUnderTest } from '../campaign/conduct/check-canary.ts'
import { cellNames, isCellName } from '../campaign/made/cell-scenario.ts'
import { isMadeName } from '../campaign/made/made-scenario.ts'
import { isRungName, rungScenario } from '../campaign/made/rung-scenario.ts'
import type { PairChoice } from '../campaign/play/campaign-request.ts'
import { isWorthSink, notRun, whyUnusable } from '../campaign/play/unusable.ts'
import type { LayerRef, ScenarioRef } from '../campaign/token/pair-ref.ts'
import type { RecordedRun } from '../campaign/token/token.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { runMsOf } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import { type NamedLayer, nameOfBoth, twoVersions, versionsOf } from '../contract/api/two-versions.ts'
import { launcher } from '../contract/results/launcher.ts'
import type { UnplayedSink } from '../contract/results/results.ts'
import { readIdentity } from '../sim/adapters/load-implementation.ts'
import {
  catalogue,
  type Entry,
  globFiles,
  globPattern,
  isCanary,
  isGlob,
  type Kind,
  packageFolder,
} from './catalogue.ts'
import { checkPlans } from './load-scenario.ts'
import { suggestion } from './nearest.ts'
import { fileOfPath, nameOfPath } from './project-path.ts'
import { shownPath, UsageError } from './usage-error.ts'

/** A file, and its name in tokens and commands: an id of the catalogue, or a path. */
export interface Selected {
  readonly name: string
  readonly path: string
}

export type Loaders = Pick<CampaignDeps, 'loadScenario' | 'loadImplementation'>

/**
 * The files with these names, each once. Checks that the plans of scenarios can be played. @throws
 * UsageError with similar names; LoadError
 */
export async function select(kind: Kind, names: readonly string[], deps: Loaders): Promise<Selected[]> {
  const entries = catalogue(kind)
  const found = new Map<string, Selected>()
  for (const name of names) {
    if (twoVersions(name) !== null)
      throw new UsageError(`${kind} ${name}`, 'give the two versions separately: --impl a --with-next b')
    for (const file of await filesOf(kind, name, entries, deps)) found.set(file, selected(file, entries))
  }
  const twofold = [...found.keys()].find((file) => twoVersions(file) !== null)
  if (twofold !== undefined)
    throw new UsageError(twofold, '" with-next " in a path separates two versions; rename the file')
  if (kind === 'scenario') for (const file of found.keys()) checkPlans(file, await deps.loadScenario(file))
  return [...found.values()]
}

/**
 * The implementations with these names, each once. With `next`, each is part of a rolling upgrade
 * to that version, which replaces the `next` of the layer itself.
 * @throws UsageError, LoadError
 */
export async function selectVersions(
  layers: readonly NamedLayer[],
  next: string | undefined,
  deps: Loaders,
): Promise<Selected[]> {
  const found = new Map<string, Selected>()
  for (const layer of layers) {
    const named = typeof layer === 'string' ? { from: layer, next } : { ...layer, next: next ?? layer.next }
    for (const one of await selectVersion(named, deps)) found.set(one.path, one)
  }
  return [...found.values()]
}

async function selectVersion(
  { from, next }: { readonly from: string; readonly next: string | undefined },
  deps: Loaders,
): Promise<Selected[]> {
  const all = await select('implementation', [from], deps)
  if (next === undefined) return all
  const [found, ...more] = await select('implementation', [next], deps)
  if (more.length > 0) throw new UsageError(`--with-next ${next}`, 'matches several; name one')
  return all.map((one) => together(one, found!))
}

/** Combines two versions of a layer, which are loaded and recorded under one name. */
export function together(from: Selected, next: Selected): Selected {
  return {
    name: nameOfBoth({ from: from.name, next: next.name }),
    path: nameOfBoth({ from: from.path, next: next.path }),
  }
}

export interface WantedLayers {
  /** The layers. Undefined: the reference. */
  readonly implementations: readonly NamedLayer[] | undefined
  /** If given: each implementation is upgraded to this version during the run. */
  readonly next?: string | undefined
  /** Absent: `plain`, or the first sink that the layer declares if it cannot use `plain`. */
  readonly sink?: SinkKind | undefined
}

export interface SelectedLayer extends LayerRef {
  readonly implementation: Implementation
}

/**
 * Loads the layers once, to check that they can be loaded and can use the sink.
 * @throws UsageError, LoadError
 */
export async function selectLayers(
  { implementations = ['reference'], next, sink }: WantedLayers,
  deps: Loaders,
): Promise<SelectedLayer[]> {
  const layers: SelectedLayer[] = []
  for (const one of await selectVersions(implementations, next, deps)) {
    const { implementation } = await deps.loadImplementation(one.path)
    const names = versionsOf(one.name)
    for (const [at, version] of versionsOf(one.path).entries()) {
      const { sinks = ['plain'] } = (await deps.loadImplementation(version)).implementation
      if (sink !== undefined && !sinks.includes(sink))
        throw new UsageError(`--sink ${sink}`, `${names[at]} supports ${sinks.join(' and ')} sinks only`)
    }
    layers.push({ ...layerRef(one, sink ?? usualSink(implementation)), implementation })
  }
  return layers
}

/** The default sink of a layer. */
export const usualSink = ({ sinks = ['plain'] }: Pick<Implementation, 'sinks'>): SinkKind =>
  sinks.includes('plain') ? 'plain' : (sinks[0] ?? 'plain')

/**
 * The sink of a table, whose layers must all use the same sink. @throws UsageError if they use
 * several
 */
export function commonSink(layers: readonly SelectedLayer[]): SinkKind {
  const [first] = layers
  const other = layers.find(({ sink }) => sink !== first!.sink)
  if (other === undefined) return first!.sink
  const reported = [first!, other].map(
    ({ implementationName, sink }) => `${implementationName} is played on a ${sink} sink`,
  )
  throw new UsageError('--sink', `choose one: ${reported.join(' and ')}`)
}

export interface WantedPairs extends WantedLayers {
  /** Undefined: the whole catalogue. */
  readonly scenarios: readonly string[] | undefined
  /**
   * True to also play each layer on the other sinks that it declares, in scenarios that depend on
   * the sink.
   */
  readonly onOtherSinks?: boolean
}

/**
 * Every selected layer under every selected scenario. For pairs that cannot be run, `leaves` is
 * called with one text for each layer and reason.
 * @throws UsageError, LoadError
 */
export async function selectPairs(
  wanted: WantedPairs,
  corpus: readonly RecordedRun[],
  deps: Loaders,
  leaves: (why: string) => void = () => {},
): Promise<PairChoice[]> {
  const scenarios = await selectScenarios(wanted.scenarios, deps)
  const pairs: PairChoice[] = []
  const left: string[] = []
  for (const { implementation, ...layer } of await selectLayers(wanted, deps)) {
    const byReason = new Map<string, string[]>()
    const others = wanted.onOtherSinks ? await otherSinks(layer, deps) : []
    for (const scenario of scenarios) {
      const loaded = await deps.loadScenario(scenario.scenarioPath)
      const ms = runMsOf(loaded)
      for (const sink of others)
        if (isWorthSink(loaded, sink) && whyUnusable(implementation, loaded, sink) === null)
          pairs.push(pairOf({ ...layer, sink }, scenario, corpus, ms))
      if (loaded.onlySink !== undefined && others.includes(loaded.onlySink)) continue
      const why = whyUnusable(implementation, loaded, layer.sink)
      if (why === null) pairs.push(pairOf(layer, scenario, corpus, ms))
      else byReason.set(why, [...(byReason.get(why) ?? []), loaded.id])
    }
    for (const [why, ids] of byReason) left.push(notRun(implementation.id, ids, why))
  }
  if (pairs.length === 0 && left.length > 0) throw new UsageError('nothing to run', left.join('; '))
  left.forEach(leaves)
  return pairs
}

/** The sinks that all versions of the layer declare, except the current one. */
async function otherSinks(layer: LayerRef, deps: Loaders): Promise<readonly SinkKind[]> {
  return (await sinksOf(layer, deps)).filter((sink) => sink !== layer.sink)
}

async function sinksOf({ implementationPath }: LayerRef, deps: Loaders): Promise<readonly SinkKind[]> {
  const versions = await Promise.all(versionsOf(implementationPath).map((one) => deps.loadImplementation(one)))
  const [first = [], ...more] = versions.map(({ implementation: { sinks = ['plain' as const] } }) => sinks)
  return first.filter((sink) => more.every((sinks) => sinks.includes(sink)))
}

/**
 * Sinks that the layers of the pairs declare, but on which some applicable scenarios are not
 * played.
 */
export async function selectUnplayed(
  pairs: readonly PairChoice[],
  names: readonly string[] | undefined,
  deps: Loaders,
): Promise<UnplayedSink[]> {
  const scenarios = await selectScenarios(names, deps)
  const layers = new Map(pairs.map((pair) => [pair.implementationPath, pair]))
  const unplayed: UnplayedSink[] = []
  for (const layer of layers.values()) {
    const { implementation } = await deps.loadImplementation(layer.implementationPath)
    for (const sink of await sinksOf(layer, deps)) {
      const loaded = await Promise.all(scenarios.map(({ scenarioPath }) => deps.loadScenario(scenarioPath)))
      const fitting = loaded.filter((one) => whyUnusable(implementation, one, sink) === null)
      const played = pairs.filter((one) => one.implementationPath === layer.implementationPath && one.sink === sink)
      const left = fitting.length - played.length
      if (left > 0) unplayed.push({ implementation: implementation.id, sink, scenarios: left, of: fitting.length })
    }
  }
  return unplayed
}

/** The control at the end of every campaign: this layer must break under this scenario. */
const control = { implementation: '001-get-set', scenario: 'competing-consumers' } as const

export async function controlPair(deps: Loaders): Promise<PairChoice> {
  const [implementation] = await select('implementation', [control.implementation], deps)
  const [scenario] = await selectScenarios([control.scenario], deps)
  return pairOf(layerRef(implementation!, 'plain'), scenario!, [], 0)
}

/**
 * The canaries with these names. Undefined: all canaries of the catalogue.
 * @throws UsageError, LoadError
 */
export async function selectCanaries(names: readonly string[] | undefined, deps: Loaders): Promise<CanaryUnderTest[]> {
  const canaryIds = catalogue('implementation').filter(isCanary)
  const files =
    names === undefined
      ? canaryIds.map(({ id, path }) => ({ name: id, path }))
      : await select('implementation', names, deps)
  const canaries: CanaryUnderTest[] = []
  for (const file of files) {
    const { about = '', hunt } = await readIdentity(file.path)
    if (hunt === undefined) throw new UsageError(shownPath(file.path), 'not a canary; give it a `hunt`')
    const scenarios = await selectScenarios(hunt.scenarios, deps)
    canaries.push({ ...layerRef(file, hunt.sink ?? 'plain'), about, hunt, scenarios })
  }
  return canaries
}

/**
 * The scenarios with these names. Undefined: the whole catalogue.
 * @throws UsageError, LoadError
 */
export async function selectScenarios(names: readonly string[] | undefined, deps: Loaders): Promise<ScenarioRef[]> {
  const files = await select('scenario', names ?? catalogue('scenario').map(({ id }) => id), deps)
  return files.map(({ name, path: file }) => ({ scenarioPath: file, scenarioName: name }))
}

/** The ids of the pure scenarios of the catalogue. @throws LoadError */
export async function pureScenarios(deps: Loaders): Promise<string[]> {
  const loaded = await Promise.all(catalogue('scenario').map(({ path: file }) => deps.loadScenario(file)))
  return loaded.flatMap(({ id, onlyFaults }) => (onlyFaults === undefined ? [] : [id]))
}

export function layerRef({ name, path: file }: Selected, sink: SinkKind): LayerRef {
  return { implementationPath: file, implementationName: name, sink }
}

export function pairOf(layer: LayerRef, where: ScenarioRef, corpus: readonly RecordedRun[], runMs: number): PairChoice {
  const isOfPair = ({ scenario, implementation, sink }: RecordedRun) =>
    scenario === where.scenarioName && implementation === layer.implementationName && sink === layer.sink
  return { ...where, ...layer, runMs, corpus: corpus.filter(isOfPair) }
}

async function filesOf(kind: Kind, name: string, entries: readonly Entry[], deps: Loaders): Promise<string[]> {
  if (kind === 'implementation' && isProgram(name)) return [name]
  refuseOtherLanguage(kind, name)
  if (isGlob(name)) return filesOfGlob(kind, name, entries)
  if (kind === 'scenario' && isCellName(name)) return [cellNamed(name)]
  if (kind === 'scenario' && isRungName(name)) return [rungNamed(name)]
  const entry = entries.find(({ id }) => id === name)
  if (entry !== undefined) return [entry.path]
  if (/[/\\]|\.[cm]?[jt]s$/.test(name)) {
    const file = fileOfPath(name)
    if (file !== null) return [file]
    throw new UsageError(name, `no such file; name ${article(kind)} by its id or path`)
  }
  for (const { path: file } of entries)
    if (quotes(file, name) && (await declaredId(kind, file, deps).catch(() => null)) === name) return [file]
  const known = entries.map(({ id }) => id)
  throw new UsageError(`${kind} ${name}`, `unknown; ${suggestion(name, known, `\`${launcher()} list\` prints all`)}`)
}

/** The commands that start files in other languages, by extension. */
const starters = new Map([
  ['.py', 'python3'],
  ['.rb', 'ruby'],
  ['.php', 'php'],
  ['.go', 'go run'],
])

/** @throws UsageError for a layer that runs as a program only */
function refuseOtherLanguage(kind: Kind, name: string): void {
  const starter = kind === 'implementation' ? starters.get(path.extname(name)) : undefined
  if (starter === undefined) return
  throw new UsageError(name, `a layer in another language is a program; use 'exec:${starter} ${name}'`)
}

/**
 * True if the file contains the name as a string, as the declaration of an id does. This avoids
 * loading files that contain the name only in comments.
 */
function quotes(file: string, name: string): boolean {
  const text = fs.readFileSync(file, 'utf8')
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => text.includes(quoted))
}

/** The id in the default export of a file. */
async function declaredId(kind: Kind, file: string, deps: Loaders): Promise<string> {
  if (kind === 'scenario') return (await deps.loadScenario(file)).id
  return (await deps.loadImplementation(file)).implementation.id
}

/** A cell of a configuration search has no file, so the name takes the place of its path. */
function cellNamed(name: string): string {
  const names = cellNames()
  if (names.includes(name)) return name
  throw new UsageError(`scenario ${name}`, suggestion(name, names, `\`${launcher()} configurations\` prints all cells`))
}

/** The name of a value of a time limit (`tune`), which has no file either. */
function rungNamed(name: string): string {
  if (rungScenario(name) !== null) return name
  throw new UsageError(`scenario ${name}`, `unknown; \`${launcher()} tune\` prints all`)
}

function filesOfGlob(kind: Kind, glob: string, entries: readonly Entry[]): string[] {
  const pattern = globPattern(glob)
  const known = entries.filter(({ id, path: file }) => pattern.test(id) || pattern.test(inPackage(file)))
  const files = [...new Set([...known.map((entry) => entry.path), ...globFiles(glob).filter(isSource)])]
  if (files.length === 0) throw new UsageError(`${kind} ${glob}`, `matches nothing; \`${launcher()} list\` prints all`)
  return files
}

function selected(file: string, entries: readonly Entry[]): Selected {
  const entry = entries.find((known) => known.path === file)
  if (entry !== undefined) return { name: entry.id, path: file }
  if (isMadeName(file) || isProgram(file)) return { name: file, path: file }
  return { name: nameOfPath(file), path: file }
}

function inPackage(file: string): string {
  return path.relative(packageFolder, file).split(path.sep).join('/')
}

function isSource(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file)
}

function article(kind: Kind): string {
  return kind === 'implementation' ? 'an implementation' : 'a scenario'
}
