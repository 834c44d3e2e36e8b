import { defineConfig } from 'vitest/config'

/** Real servers, sockets and processes, whose time is the machine's: what they wait for must not wait for other tests. */
const inRealTime = [
  'test/{fidelity,fleet,impl,implementations,live}/**/*.test.ts',
  'test/sim/network/{ioredis-events,node-redis,socket-events}.test.ts',
  'test/sim/redis/**/{ioredis,trouble}.test.ts',
  'test/sim/runtime/order.test.ts',
]

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // An outcome that is not the expected one is shown whole, with its reason.
    chaiConfig: { truncateThreshold: 1000 },
    projects: [
      { extends: true, test: { name: 'parallel', include: ['test/**/*.test.ts'], exclude: inRealTime } },
      // One file at a time, when all others are done.
      { extends: true, test: { name: 'in real time', include: inRealTime, fileParallelism: false } },
    ],
  },
})
