/** Real servers, proxies and processes, as a campaign's live runs need them. */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LiveHost } from '../campaign/live/live-host.ts'
import { twoVersions } from '../contract/two-versions.ts'
import type { Program } from '../live/consumer-process.ts'
import type { LiveEnvironment } from '../live/environment.ts'
import { sortFaults } from '../live/live-faults.ts'
import { liveRun } from '../live/live-run.ts'
import { consumerProgram } from '../live/programs.ts'
import { redisOtherwise } from '../live/redis-otherwise.ts'
import type { RunDirectory } from '../live/run-directory.ts'
import { deployedRedis } from '../live/servers/sentinel-deployment.ts'
import { scaled } from '../live/time-scale.ts'
import { bundleProgram } from '../sim/runtime/bundle-program.ts'

export interface LiveHostOptions {
  readonly timeScale: number
  /** How late a timer of the harness may be before a run is not judged. */
  readonly marginMs: number
  /** What one run may last at most. */
  readonly longestMs: number
  readonly stopped: () => boolean
}

export function createLiveHost(
  environment: LiveEnvironment,
  directory: RunDirectory,
  options: LiveHostOptions,
): LiveHost {
  const { timeScale, marginMs, longestMs, stopped } = options
  return {
    about: environment.about,
    scaled: (plan) => ({
      ...scaled(plan, timeScale),
      ...(plan.redis === undefined ? {} : { redis: deployedRedis }),
    }),
    notMade: (plan, shape) => {
      const { refuses, redisProxy } = environment
      return sortFaults(plan, { shape, refuses, forgets: redisProxy.forgets, longestMs }).notMade
    },
    otherwise: (plan) => redisOtherwise(plan, timeScale),
    async load(implementationPath) {
      const program = await compile(implementationPath, directory)
      return (order) => liveRun({ ...order, program, marginMs, longestMs, environment, directory, stopped })
    },
  }
}

/** Bundled as simulated processes have it, so that a process starts in a fraction of a second. */
async function compile(source: string, { folder }: RunDirectory): Promise<Program> {
  const entry = entryOf(source, folder)
  const files = { main: path.join(folder, 'consumer.cjs'), adapter: path.join(folder, 'adapter.cjs'), source: entry }
  fs.writeFileSync(files.main, await bundleProgram(consumerProgram))
  fs.writeFileSync(files.adapter, await bundleProgram(entry))
  return files
}

/** The file of an adapter; of two versions, one that is made of both. */
function entryOf(source: string, folder: string): string {
  const both = twoVersions(source)
  if (both === null) return source
  const entry = path.join(folder, 'both-versions.ts')
  const [upgrade, exported, from, next] = [...ours, both.from, both.next].map((file) => JSON.stringify(file))
  const lines = [
    `import { defineUpgrade } from ${upgrade}`,
    `import { exportedLayer } from ${exported}`,
    `import * as from from ${from}`,
    `import * as next from ${next}`,
    "export default defineUpgrade({ id: 'both', from: exportedLayer(from), to: exportedLayer(next) })",
  ]
  fs.writeFileSync(entry, lines.join('\n'))
  return entry
}

const ours = ['upgrade', 'implementation'].map((name) =>
  fileURLToPath(new URL(`../contract/${name}.ts`, import.meta.url)),
)
