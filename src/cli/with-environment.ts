/**
 * The real servers of a command: opened before its work, and cleared away after it, whatever came
 * of that.
 */
import type { StoreKind } from '../contract/api/store.ts'
import { type EnvironmentOptions, type OpenEnvironment, openEnvironment } from '../live/environment/open-environment.ts'
import { LiveProblem } from '../live/environment/problem.ts'
import { containerLabel, RunDirectory, type StaleRun, staleRuns } from '../live/environment/run-directory.ts'
import { UsageError } from './usage-error.ts'

/**
 * `stores`: those that some layer asks for. `say` is told what killed runs of before have left, and
 * what could not be cleared away. @throws UsageError where they cannot be opened
 */
export async function withEnvironment<T>(
  options: EnvironmentOptions,
  stores: ReadonlySet<StoreKind>,
  say: (line: string) => void,
  work: (environment: OpenEnvironment, directory: RunDirectory) => Promise<T>,
): Promise<T> {
  for (const stale of staleRuns()) say(staleLine(stale))
  const directory = new RunDirectory()
  try {
    const environment = await openEnvironment(options, directory, stores).catch(asUsage)
    try {
      return await work(environment, directory)
    } finally {
      await environment.close().catch((error) => reportProblem(error, say))
    }
  } finally {
    directory.close()
  }
}

/** Before the start, it is a matter of usage. */
function asUsage(error: unknown): never {
  if (error instanceof LiveProblem) throw new UsageError(error.culprit, error.remedy)
  throw error
}

/** What could not be cleared away, when everything else is done. */
function reportProblem(error: unknown, say: (line: string) => void): void {
  if (!(error instanceof LiveProblem)) throw error
  say(error.message)
}

/** By a shell. Containers by their label: the run may have been killed before it knew their ids. */
export function staleLine({ folder, pids, containers }: StaleRun): string {
  const kill = pids.length === 0 ? '' : `kill -9 ${pids.join(' ')}; `
  const ours = `docker ps -aq --filter label=${containerLabel}=${folder}`
  const remove = containers ? `${ours} | xargs -r docker rm -f -v; ` : ''
  return `a killed live run left processes or files; remove them: ${kill}${remove}rm -r ${folder}`
}
