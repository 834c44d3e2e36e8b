import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import SkippedTable from './test/needs/skipped-table.ts'

const sources = 'test/sources.mjs'
const folder = 'test/temporary-files.mjs'
// These tests wait for servers and processes much of the time. Runs in real time still need the processor.
const withServers = {
  ...{ globalSetup: [folder, 'test/needs/setup.mjs'], setupFiles: sources, hookTimeout: 60_000 },
  ...{ maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 1 } },
}
const fast = { globalSetup: folder, setupFiles: [sources, 'test/fast.ts'], testTimeout: 20_000, maxWorkers: '100%' }

/** A test's file name says its tier: `x.test.ts`, `x.server.test.ts` or `x.long.test.ts` (CONTRIBUTING.md). */
const tier = (name: string, file: string, test: object) => ({
  extends: true as const,
  test: { name, include: [`{test,packages/*/test}/**/${file}.test.ts`], ...test },
})

export default defineConfig({
  // A new folder in `node_modules` can shadow a package, and every layer compiled before would be compiled again.
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    pool: 'forks',
    // Loading the sources takes longer than most files, so files share a process and its modules.
    isolate: false,
    // Node loads the sources (test/sources.mjs).
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: ['default', new SkippedTable()],
    // A failure shows an outcome whole, with its reason.
    chaiConfig: { truncateThreshold: 1000 },
    projects: [
      tier('fast', '!(*.server|*.long)', fast),
      tier('server', '*.server', { ...withServers, testTimeout: 60_000 }),
      tier('long', '*.long', { ...withServers, testTimeout: 120_000 }),
    ],
  },
})
