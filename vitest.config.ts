import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import SkippedTable from './test/needs/skipped-table.ts'

/** A test's file name says its tier: `x.test.ts`, `x.server.test.ts` or `x.long.test.ts` (CONTRIBUTING.md). */
const tiers: readonly TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      ...{
        name: 'fast',
        include: ['test/**/!(*.server|*.long).test.ts'],
        setupFiles: ['test/sources.mjs', 'test/fast.ts'],
      },
      ...{ globalSetup: 'test/temporary-files.mjs', testTimeout: 20_000, maxWorkers: '100%' },
    },
  },
  ...['server', 'long'].map((name, at) => ({
    extends: true as const,
    test: {
      ...{ name, include: [`test/**/*.${name}.test.ts`], testTimeout: 60_000 * (at + 1), hookTimeout: 60_000 },
      ...{ globalSetup: ['test/temporary-files.mjs', 'test/needs/setup.mjs'], setupFiles: 'test/sources.mjs' },
      // Most of these tests wait for servers and processes.
      ...{ maxWorkers: availableParallelism() + 2, sequence: { groupOrder: 1 } },
    },
  })),
]

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
    projects: [...tiers],
  },
})
