import { defineConfig } from 'vitest/config'

/** Judged by when something happens on the machine: one file at a time, when all others are done. */
const inRealTime = [
  'test/clients/time-outs.test.ts',
  'test/live/{docker,failover}.test.ts',
  'test/live/proxy/**/*.test.ts',
  'test/sim/network/{ioredis-events,node-redis,onread,socket-events}.test.ts',
  'test/sim/redis/**/{ioredis,trouble}.test.ts',
  'test/sim/runtime/order.test.ts',
]

/** Real servers and processes, which mostly wait for each other and are judged by what they did, not by when. */
const onRealServers = [
  'test/clients/{what-clients-send,failovers}.test.ts',
  'test/fidelity/{every-handler,expiry-boundary,planted-change,replication}.test.ts',
  'test/fleet/{command,fleet}.test.ts',
  'test/impl/{attempts,clients,data-loss,events,generations,lost-replies,once,permissions,replicated*,settle,transitions}.test.ts',
  'test/implementations/**/*.test.ts',
  'test/live/{command,live-run,live-server,overlapping-faults,parts}.test.ts',
  'test/live/{script/confirmed,sightings/seen}.test.ts',
  'test/recipes/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/sim/network/same-bytes.test.ts',
]

/** What a layer does to its process: Vitest gives `process.exit` back after a file, and what the simulator made of it is gone. */
const endingProcesses = ['test/sim/runtime/{load-implementation,process}.test.ts', 'test/sim/world/world.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    // Vitest leaves one core to itself, which is half of two.
    maxWorkers: '100%',
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
        test: { name: 'on real servers', include: onRealServers, maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'in real time', include: inRealTime, fileParallelism: false } },
    ],
  },
})
