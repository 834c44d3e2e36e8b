/**
 * Opens the real servers of a command before its work, and cleans up after it, even if the work
 * fails.
 */
import type { StoreKind } from '../contract/api/store.ts'
import { type EnvironmentOptions, type OpenEnvironment, openEnvironment } from '../live/environment/open-environment.ts'
import { LiveProblem } from '../live/environment/problem.ts'
import { containerLabel, RunDirectory, type StaleRun, staleRuns } from '../live/environment/run-directory.ts'
import { UsageError } from './usage-error.ts'

/**
 * `stores`: the stores that the layers declare. `say` gets lines about leftovers of earlier killed
 * runs, and about failed cleanup. @throws UsageError if the servers cannot be opened
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

/** Before the work starts, a problem with the servers counts as a usage error. */
function asUsage(error: unknown): never {
  if (error instanceof LiveProblem) throw new UsageError(error.culprit, error.remedy)
  throw error
}

/** Prints a cleanup problem after all other work is done. */
function reportProblem(error: unknown, say: (line: string) => void): void {
  if (!(error instanceof LiveProblem)) throw error
  say(error.message)
}

/**
 * A line with a shell command that cleans up after a killed run. The command finds containers by
 * their label, because the run may have been killed before it knew their ids.
 */
export function staleLine({ folder, pids, containers }: StaleRun): string {
  const kill = pids.length === 0 ? '' : `kill -9 ${pids.join(' ')}; `
  const ours = `docker ps -aq --filter label=${containerLabel}=${folder}`
  const remove = containers ? `${ours} | xargs -r docker rm -f -v; ` : ''
  return `a killed live run left processes or files; remove them: ${kill}${remove}rm -r ${folder}`
}
