/**
 * The content of the queue: tasks with references to files instead of paths, and answers as plain
 * data.
 */
import type { Counterexample, Executor } from '../campaign/play/executor.ts'
import type { ExploreTask } from '../campaign/play/explore-tasks.ts'
import { type SentError, sendable } from '../campaign/play/sent-error.ts'
import type { ChunkTask, ShrinkTask } from '../campaign/play/tasks.ts'
import { exploredToJson } from '../campaign/results/explored-json.ts'
import { tallyToJson } from '../campaign/results/tally-json.ts'
import type { PairRef, ScenarioRef } from '../campaign/token/pair-ref.ts'
import type { JsonValue } from '../contract/api/json.ts'
import { nameOfBoth, versionsOf } from '../contract/api/two-versions.ts'
import { type FileRef, findFile, type Places, refTo } from './file-ref.ts'

/** A task with references, because the paths of files differ between machines. */
type Sent<T extends PairRef> = Omit<T, 'scenarioPath' | 'implementationPath' | 'cheaper'> & {
  readonly scenario: FileRef
  /** One reference, or two for the versions of a rolling upgrade. */
  readonly implementation: readonly FileRef[]
  /** Only in a shrink task: the scenarios in which a smaller run may be found. */
  readonly cheaper?: readonly { readonly scenarioName: string; readonly scenario: FileRef }[]
}

export type Job =
  | { readonly kind: 'chunk'; readonly task: Sent<ChunkTask> }
  | { readonly kind: 'shrink'; readonly task: Sent<ShrinkTask> }
  | { readonly kind: 'explore'; readonly task: Sent<ExploreTask> }

export type Answer =
  | { readonly ok: true; readonly kind: 'chunk'; readonly tally: JsonValue }
  | { readonly ok: true; readonly kind: 'shrink'; readonly counterexample: Counterexample }
  | { readonly ok: true; readonly kind: 'explore'; readonly explored: JsonValue }
  | { readonly ok: false; readonly error: SentError }

/** @throws FleetProblem, LoadError */
export async function sent<T extends PairRef>(task: T, places: Places): Promise<Sent<T>> {
  const { scenarioPath, implementationPath, cheaper, ...rest } = task as T & Partial<ShrinkTask>
  const files = {
    scenario: await refTo(scenarioPath, places),
    implementation: await Promise.all(versionsOf(implementationPath).map((version) => refTo(version, places))),
  }
  if (cheaper === undefined) return { ...rest, ...files }
  const refs = cheaper.map(async (one) => ({
    scenarioName: one.scenarioName,
    scenario: await refTo(one.scenarioPath, places),
  }))
  return { ...rest, ...files, cheaper: await Promise.all(refs) }
}

/**
 * The error if the files of this machine differ from those of the machine that requested the job.
 * There is no other reason to refuse a job.
 */
export class RefusedJob extends Error {
  override readonly name = 'RefusedJob'
}

/** Plays a job. Errors of the work itself are part of the answer. @throws RefusedJob */
export async function doJob(job: Job, executor: Executor, places: Places): Promise<Answer> {
  const found = { ...(await pathsOf(job, places)) }
  try {
    if (job.kind === 'chunk')
      return { ok: true, kind: 'chunk', tally: tallyToJson(await executor.runChunk(found as ChunkTask)) }
    if (job.kind === 'explore')
      return { ok: true, kind: 'explore', explored: exploredToJson(await executor.explore(found as ExploreTask)) }
    return { ok: true, kind: 'shrink', counterexample: await executor.shrink(found as ShrinkTask) }
  } catch (error) {
    return { ok: false, error: asSeenFrom(places, sendable(error)) }
  }
}

async function pathsOf(job: Job, places: Places): Promise<PairRef> {
  const { scenario, implementation, cheaper, ...task } = job.task as Sent<ShrinkTask>
  const paths = {
    scenarioPath: await pathOf(scenario, places),
    implementationPath: await layerPathOf(implementation, places),
  }
  if (cheaper === undefined) return { ...task, ...paths }
  const found: ScenarioRef[] = []
  for (const one of cheaper)
    found.push({ scenarioName: one.scenarioName, scenarioPath: await pathOf(one.scenario, places) })
  return { ...task, ...paths, cheaper: found } as ShrinkTask
}

/** @throws RefusedJob */
async function layerPathOf(versions: readonly FileRef[], places: Places): Promise<string> {
  const [from, next] = await Promise.all(versions.map((version) => pathOf(version, places)))
  return next === undefined ? from! : nameOfBoth({ from: from!, next })
}

/** @throws RefusedJob */
async function pathOf(file: FileRef, places: Places): Promise<string> {
  const found = await findFile(file, places)
  if (!found.ok) throw new RefusedJob(found.problem)
  return found.path
}

/**
 * Removes the folders of this machine from the texts of an error, because they have no meaning on
 * another machine.
 */
function asSeenFrom({ folder, package: ours }: Places, error: SentError): SentError {
  const shown = (text: string): string =>
    text.replaceAll(`${folder}/`, './').replaceAll(`${ours.replace(/\/$/, '')}/`, '')
  return { name: error.name, message: shown(error.message), culprit: shown(error.culprit), remedy: shown(error.remedy) }
}
