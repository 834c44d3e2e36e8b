/** Starts live runs of a campaign on real servers, proxies and processes. */

import fs from 'node:fs'
import path from 'node:path'
import type { LiveHost } from '../campaign/live/live-host.ts'
import { versionsOf } from '../contract/api/two-versions.ts'
import type { LiveEnvironment } from '../live/environment/environment.ts'
import type { RunDirectory } from '../live/environment/run-directory.ts'
import type { Program } from '../live/host/consumer-process.ts'
import { sortFaults } from '../live/host/live-faults.ts'
import { liveRun } from '../live/host/live-run.ts'
import { consumerProgram } from '../live/host/programs.ts'
import { deployedPostgres, postgresNotMade, postgresOtherwise } from '../live/stores/postgres-otherwise.ts'
import { redisMade, redisOtherwise } from '../live/stores/redis-made.ts'
import { scaled } from '../run/time-scale.ts'
import { bundleProgram } from '../sim/adapters/loader.ts'

export interface LiveHostOptions {
  readonly timeScale: number
  /** A run is not judged if a timer of the harness is later than this, in milliseconds. */
  readonly marginMs: number
  /** The maximum duration of a run, in milliseconds. */
  readonly longestMs: number
  /**
   * True if the run follows a schedule. Idle time is then skipped, so a fault may last for any
   * time.
   */
  readonly bySchedule?: boolean
  readonly stopped: () => boolean
}

export function createLiveHost(
  environment: LiveEnvironment,
  directory: RunDirectory,
  options: LiveHostOptions,
): LiveHost {
  const { timeScale, marginMs, longestMs, bySchedule = false, stopped } = options
  const longestFaultMs = bySchedule ? Number.POSITIVE_INFINITY : longestMs
  let loaded = 0
  return {
    about: environment.about,
    scaled: (plan) => ({
      ...scaled(plan, timeScale),
      ...(plan.redis === undefined ? {} : { redis: redisMade(plan.redis, timeScale) }),
      ...deployedPostgres(plan),
    }),
    notMade: (plan, shape, isHeld = false) => {
      const { refuses, redisProxy } = environment
      const { notMade } = sortFaults(plan, {
        shape,
        refuses,
        forgets: redisProxy.forgets,
        longestMs: longestFaultMs,
        isHeld,
      })
      return [...notMade, ...postgresNotMade(plan)]
    },
    holdsSeveral: environment.startHeld !== null,
    otherwise: (plan) => [...redisOtherwise(plan, timeScale), ...postgresOtherwise(plan)],
    async load(implementationPath) {
      const program = await compile(implementationPath, directory, ++loaded)
      return (order) => liveRun({ longestMs, ...order, program, marginMs, environment, directory, stopped })
    },
  }
}

/**
 * Bundles the code of consumers as for simulated processes, so that a process starts in a fraction
 * of a second. Two versions are bundled separately.
 */
async function compile(implementationPath: string, { folder }: RunDirectory, nth: number): Promise<Program> {
  const bundled = async (source: string, name: string): Promise<string> => {
    const file = path.join(folder, `${nth}-${name}`)
    fs.writeFileSync(file, await bundleProgram(source))
    return file
  }
  const main = await bundled(consumerProgram, 'consumer.cjs')
  const [source, next] = versionsOf(implementationPath)
  const adapter = await bundled(source!, 'adapter.cjs')
  const program = { main, adapter, source: source! }
  if (next === undefined) return program
  return { ...program, next: { adapter: await bundled(next, 'next-adapter.cjs'), source: next } }
}
