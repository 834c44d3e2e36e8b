/** Opens real servers that follow schedules, for the duration of some work. */
import type { LiveHost } from '../campaign/live/live-host.ts'
import type { PairChoice } from '../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { StoreKind } from '../contract/api/store.ts'
import type { EnvironmentOptions } from '../live/environment/open-environment.ts'
import { LiveProblem } from '../live/environment/problem.ts'
import { createLiveHost } from './live-host.ts'
import { refuseMutants } from './simulated-only.ts'
import { storesOf } from './stores-of.ts'
import { UsageError } from './usage-error.ts'
import { withEnvironment } from './with-environment.ts'

/**
 * The values of `--with` whose servers a run does not share. A schedule holds back all commands of
 * the servers, and kills them, so they must not be shared.
 */
const places = ['local', 'docker', 'compose']

export interface ServersWish extends EnvironmentOptions {
  readonly atOnce: number
  /** The maximum duration of a run, in milliseconds. */
  readonly atMost: number
}

/** @throws UsageError if the run would share its servers */
export function refusePlaces({ with: place, atOnce }: Pick<ServersWish, 'with' | 'atOnce'>): void {
  if (place !== undefined && !places.includes(place))
    throw new UsageError(`--with ${place}`, 'shared with other runs; choose local, docker or compose')
  if (place === 'compose' && atOnce > 1)
    throw new UsageError(`--at-once ${atOnce}`, 'the Redis of docker-compose.yml supports one run at a time; remove it')
}

/**
 * Starts the servers that the layers of the pairs need, and runs `work`. If a server fails, prints
 * a line about it. @throws UsageError
 */
export async function withScheduleHost(
  choices: readonly PairChoice[],
  wish: ServersWish,
  { deps, say }: { readonly deps: CampaignDeps; readonly say: (line: string) => void },
  work: (host: LiveHost) => Promise<ExitCode>,
): Promise<ExitCode> {
  await refuseMutants(choices, 'replay-live', deps)
  const stores = await storesOf(choices, 'replay-live', deps)
  try {
    return await withEnvironment(environmentOf(wish, stores), stores, say, (environment, directory) =>
      work(
        createLiveHost(environment, directory, {
          timeScale: 1,
          marginMs: Number.POSITIVE_INFINITY,
          longestMs: wish.atMost,
          bySchedule: true,
          stopped: deps.stopped,
        }),
      ),
    )
  } catch (error) {
    if (!(error instanceof LiveProblem)) throw error
    say(`the live run failed: ${error.message}`)
    return exitCodes.harness
  }
}

/**
 * The environment for a schedule. Layers on PostgreSQL need the built-in proxy, because only that
 * can hold back the end of a session. @throws UsageError if the user names another proxy
 */
function environmentOf(wish: ServersWish, stores: ReadonlySet<StoreKind>): EnvironmentOptions {
  if (!stores.has('postgres')) return { ...wish, bySchedule: true }
  if (wish.with === 'compose')
    throw new UsageError('--with compose', 'PostgreSQL is shared there; choose local or docker')
  const { proxy = 'builtin' } = wish
  if (proxy !== 'builtin')
    throw new UsageError(`--proxy ${proxy}`, 'only the built-in proxy supports PostgreSQL; remove the option')
  return { ...wish, proxy, bySchedule: true }
}
