/** What goes through the queue: tasks with names, seeds and budgets in place of files; answers as plain data. */
import type { Counterexample } from '../campaign/counterexample.ts'
import type { ChunkTask, Crew, PairTask, ShrinkTask } from '../campaign/crew.ts'
import { type SentError, sendable } from '../campaign/sent-error.ts'
import { tallyToJson } from '../campaign/tally-json.ts'
import type { JsonValue } from '../contract/json.ts'
import { type FileRef, findFile, type Places, refTo } from './file-ref.ts'

/** A task as it is handed out: its files are elsewhere on every machine. */
type Sent<T extends PairTask> = Omit<T, 'scenarioPath' | 'implementationPath'> & {
  readonly scenario: FileRef
  readonly implementation: FileRef
}

export type Job =
  | { readonly kind: 'chunk'; readonly task: Sent<ChunkTask> }
  | { readonly kind: 'shrink'; readonly task: Sent<ShrinkTask> }

export type Answer =
  | { readonly ok: true; readonly kind: 'chunk'; readonly tally: JsonValue }
  | { readonly ok: true; readonly kind: 'shrink'; readonly counterexample: Counterexample }
  | { readonly ok: false; readonly error: SentError }

/** @throws FleetProblem, LoadError */
export async function sent<T extends PairTask>(task: T, places: Places): Promise<Sent<T>> {
  const { scenarioPath, implementationPath, ...rest } = task
  return {
    ...rest,
    scenario: await refTo(scenarioPath, places),
    implementation: await refTo(implementationPath, places),
  }
}

/** This machine has other files than the asker: no other reason keeps a job from being done. */
export class RefusedJob extends Error {
  override readonly name = 'RefusedJob'
}

/** What went wrong in the work is part of the answer. @throws RefusedJob */
export async function doJob(job: Job, crew: Crew, places: Places): Promise<Answer> {
  const found = { ...(await pathsOf(job, places)) }
  try {
    if (job.kind === 'chunk')
      return { ok: true, kind: 'chunk', tally: tallyToJson(await crew.runChunk(found as ChunkTask)) }
    return { ok: true, kind: 'shrink', counterexample: await crew.shrink(found as ShrinkTask) }
  } catch (error) {
    return { ok: false, error: asSeenFrom(places, sendable(error)) }
  }
}

async function pathsOf({ task: { scenario, implementation, ...task } }: Job, places: Places): Promise<PairTask> {
  const files = [await findFile(scenario, places), await findFile(implementation, places)]
  const [scenarioPath, implementationPath] = files.map((found) => {
    if (!found.ok) throw new RefusedJob(found.problem)
    return found.path
  })
  return { ...task, scenarioPath: scenarioPath!, implementationPath: implementationPath! }
}

/** Without folders of the machine where it happened, which mean nothing on another. */
function asSeenFrom({ folder, package: ours }: Places, error: SentError): SentError {
  const shown = (text: string): string =>
    text.replaceAll(`${folder}/`, './').replaceAll(`${ours.replace(/\/$/, '')}/`, '')
  return { name: error.name, message: shown(error.message), culprit: shown(error.culprit), remedy: shown(error.remedy) }
}
