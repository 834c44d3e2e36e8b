/** The part of a campaign that one shard plays, and the file of a shard for `merge`. */

import type { PairChoice, PairPlan } from '../campaign/play/campaign-request.ts'
import type { Executor } from '../campaign/play/executor.ts'
import { itemsOf, type Shard } from '../campaign/shard/choose-shard.ts'
import { nothingPlayed, type Played, recordingExecutor, rememberingExecutor } from '../campaign/shard/played.ts'
import { shardFile, shardText } from '../campaign/shard/shard-file.ts'
import { canonicalJson, type JsonValue } from '../contract/api/json.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import { type FileRef, refTo } from '../fleet/file-ref.ts'
import { packageFolder } from './catalogue.ts'
import { local } from './command-table.ts'
import { toolIdentity } from './tool-identity.ts'
import { UsageError } from './usage-error.ts'

/** The facts that all shards of a campaign must share, by name. */
export type CampaignFacts = { readonly [name: string]: JsonValue }

/** The results of shards, with their common facts. */
export interface Merging {
  readonly facts: CampaignFacts
  readonly played: Played
}

/**
 * The part of a campaign that this machine plays: the whole, one shard, or the rest after the
 * shards that are merged.
 */
export interface Sharing {
  /** The pairs that this machine plays. */
  readonly items: readonly PairPlan[]
  readonly executorOf: (executor: Executor, stopped: () => boolean) => Executor
  /** Adds the file of the shard to the files of the report. */
  readonly leave: (files: Map<string, string>) => void
}

export interface Shareable {
  readonly command: 'run' | 'matrix'
  readonly options: object
  readonly seed: number
  readonly items: readonly PairPlan[]
}

/** @throws UsageError, FleetProblem, LoadError */
export async function shareOut(
  campaign: Shareable,
  shard: Shard | undefined,
  merging: Merging | null,
): Promise<Sharing> {
  const whole: Sharing = { items: campaign.items, executorOf: (executor) => executor, leave: () => {} }
  if (shard === undefined && merging === null) return whole
  const facts = await factsOf(campaign)
  if (merging !== null) {
    checkSame(merging.facts, facts)
    return { ...whole, executorOf: (executor) => rememberingExecutor(executor, merging.played) }
  }
  const played = nothingPlayed()
  return {
    items: itemsOf(costed(campaign), shard!),
    executorOf: (executor, stopped) => recordingExecutor(executor, played, stopped),
    leave: (files) => void files.set(shardFile, shardText({ shard: shard!, campaign: facts, played })),
  }
}

async function factsOf({ command, options, seed, items }: Shareable): Promise<CampaignFacts> {
  const { version, sources, nodeMajor } = toolIdentity()
  const asked = Object.entries(options).filter(([name]) => !local.includes(name) && name !== 'seed')
  const choices = items.map(({ choice }) => choice)
  return {
    tool: `onceproof ${version}, sources ${sources}, Node ${nodeMajor}`,
    command,
    seed,
    options: Object.fromEntries(asked),
    pairs: choices.map(nameOf).sort(),
    files: await digestsOf(choices),
    corpus: choices.flatMap(({ corpus }) => corpus.map((run) => canonicalJson(run))).sort(),
  }
}

/** Digests of the user's own files. The files of the package are covered by the tool's digest. */
async function digestsOf(choices: readonly PairChoice[]): Promise<{ [path: string]: string }> {
  const files = new Set(
    choices.flatMap(({ scenarioPath, implementationPath: layer }) => [scenarioPath, ...versionsOf(layer)]),
  )
  const refs: FileRef[] = []
  const program = [...files].find(isProgram)
  if (program !== undefined) throw new UsageError(program, 'a program runs on one machine; remove --shard')
  for (const file of files) refs.push(await refTo(file, { package: packageFolder, folder: process.cwd() }))
  return Object.fromEntries(refs.flatMap((ref) => ('digest' in ref ? [[ref.path, ref.digest]] : [])))
}

function costed({ items }: Shareable) {
  return items.map((item) => ({ item, name: nameOf(item.choice), cost: item.choice.runMs }))
}

/**
 * Checks the facts, because files may have changed since the shards were played, or may differ on
 * this machine.
 */
function checkSame(shards: CampaignFacts, here: CampaignFacts): void {
  const differing = Object.keys(here).find((name) => canonicalJson(shards[name]) !== canonicalJson(here[name]))
  if (differing === undefined) return
  const remedy = differing === 'tool' ? 'use the same onceproof and Node' : 'merge with the same files'
  throw new UsageError('merge', `the shards used other ${pluralOf(differing)} than this machine; ${remedy}`)
}

function pluralOf(name: string): string {
  return name === 'tool' ? 'tools' : name
}

function nameOf({ implementationName, scenarioName, sink }: PairChoice): string {
  return `${implementationName} × ${scenarioName}, ${sink}`
}
