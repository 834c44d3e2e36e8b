import os from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Judged by when something happens on the machine: one file at a time, when all others are done. */
const inRealTime = [
  'test/clients/time-outs.test.ts',
  'test/live/{docker,failover,same-facts}.test.ts',
  'test/live/proxy/**/*.test.ts',
  'test/sim/network/{forgotten-connections,ioredis-events,node-redis,onread,socket-events}.test.ts',
  'test/sim/redis/**/{ioredis,trouble}.test.ts',
  'test/sim/runtime/order.test.ts',
]

/** Real servers and processes, which mostly wait for each other and are judged by what they did, not by when. */
const onRealServers = [
  'test/clients/what-clients-send.test.ts',
  'test/impl/{attempts,clients,data-loss,events,generations,lost-replies,node-redis,once,permissions,replicated*,settle,transitions}.test.ts',
  'test/live/{live-run,live-server,overlapping-faults,parts}.test.ts',
  'test/live/{script/confirmed,sightings/seen}.test.ts',
  'test/recipes/**/*.test.ts',
  'test/report/page/in-a-browser.test.ts',
  'test/sim/network/same-bytes.test.ts',
]

/** As these, but for what they leave in their process, which is nothing: spread evenly among the files that compute. */
const waiting =
  /test\/(?:clients\/failovers|fidelity\/(?:every-handler|expiry-boundary|planted-change|replication)|fleet\/(?:command|fleet)|implementations\/.*|live\/command|package\/.*)\.test\.ts$/

/** What a layer does to its process: Vitest gives `process.exit` back after a file, and what the simulator made of it is gone. */
const endingProcesses = ['test/sim/runtime/{load-implementation,process}.test.ts', 'test/sim/world/world.test.ts']

/** One more than there are cores: there is nearly always a file that waits for a server. */
const maxWorkers = os.availableParallelism() + 1

/** Each project's costliest files first; those that wait have those that compute beside them. */
class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A process that files share is kept only as long as the next file is one of them.
    const [shared, apart] = split(sorted, ({ project }) => project.config.isolate === false)
    const evenly = split(shared, ({ moduleId }) => waiting.test(moduleId)).flatMap((some) =>
      some.map((file, at) => ({ file, place: (at + 0.5) / some.length })),
    )
    return [...evenly.sort((a, b) => a.place - b.place).map(({ file }) => file), ...apart]
  }
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    globalSetup: 'test/temporary-files.ts',
    sequence: { sequencer: Interleaved },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // An outcome that is not the expected one is shown whole, with its reason.
    chaiConfig: { truncateThreshold: 1000 },
    projects: [
      {
        extends: true,
        // Loading the sources costs more than most of these files do, so files share a process and what it has loaded.
        test: {
          name: 'parallel',
          include: ['test/**/*.test.ts'],
          exclude: [...inRealTime, ...onRealServers, ...endingProcesses],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'parallel, each in a process', include: endingProcesses } },
      {
        extends: true,
        test: { name: 'on real servers', include: onRealServers },
      },
      { extends: true, test: { name: 'in real time', include: inRealTime, fileParallelism: false } },
    ],
  },
})
