import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], pool: 'forks', testTimeout: 60_000, chaiConfig: { truncateThreshold: 1000 }, hookTimeout: 60_000 },
})
