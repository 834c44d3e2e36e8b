/** A shard's part of a campaign, and what it leaves for `merge`. */

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

/** What all shards of a campaign agree on, by name. */
export type CampaignFacts = { readonly [name: string]: JsonValue }

/** What was played elsewhere of the campaign with those facts. */
export interface Merging {
  readonly facts: CampaignFacts
  readonly played: Played
}

/**
 * How a campaign is shared out: not at all, as one shard of it, or as the whole that its shards
 * make.
 */
export interface Sharing {
  /** What this machine plays. */
  readonly items: readonly PairPlan[]
  readonly executorOf: (executor: Executor, stopped: () => boolean) => Executor
  /** Puts the shard's own file to those of the report. */
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

/** Of the user's own files: the package's are the tool's. */
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

/** Since the shards were played, files may have changed, or they are others on this machine. */
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
