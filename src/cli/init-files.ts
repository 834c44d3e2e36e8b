/** The contents of the files that `init` writes. */
import fs from 'node:fs'

/**
 * The text of an adapter. Its layer is a lock with an expiry and a `done` record, a common first
 * attempt, which a campaign breaks.
 */
export function adapterText(id: string): string {
  return `// An adapter: your idempotency layer, wrapped for onceproof. Put your own code into \`handle\`.
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'

export default defineImplementation({
  id: ${JSON.stringify(id)},
  about: 'A lock that expires, and a mark when the work is done.',

  // Called once for each simulated process.
  create({ redis, instanceId, leaseMs, retentionMs, sink }) {
    const client = new Redis(redis.options)
    return {
      // Called once for each delivery. \`sink.perform\` is the effect that may happen only once for
      // each key.
      async handle(message) {
        const done = \`done:\${message.key}\`
        const lock = \`lock:\${message.key}\`
        const stored = await client.get(done)
        if (stored !== null) return { status: 'done', result: JSON.parse(stored) }
        const locked = await client.set(lock, instanceId, 'PX', leaseMs, 'NX')
        if (locked === null) return { status: 'retry' }
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        await client.set(done, JSON.stringify(receipt), 'PX', retentionMs)
        await client.del(lock)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
`
}

export function configText(adapter: string): string {
  return `// What \`npx onceproof\` plays. Options of the command line win over it.
import { defineConfig } from 'onceproof'

export default defineConfig({
  implementations: [${JSON.stringify(adapter)}],
  // scenarios: ['only-redeliveries', 'only-crashes'],
  // runs: 100,
  // seed: 1,
  // sinks: ['plain', 'keyed'],
})
`
}

/** The text of a workflow for GitHub Actions. The lock file determines the package manager. */
export function workflowText(): string {
  return `name: onceproof
on: [push, pull_request]
permissions:
  contents: read
jobs:
  onceproof:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      # With a real Redis, each campaign compares a sample of its commands with it.
      - run: sudo apt-get update && sudo apt-get install -y redis-server
${installSteps()
  .map((step) => `      - run: ${step}\n`)
  .join('')}      - run: npx onceproof
      - uses: actions/upload-artifact@v4
        if: failure()
        with:
          name: onceproof
          path: reports/latest
`
}

function installSteps(): readonly string[] {
  if (fs.existsSync('pnpm-lock.yaml')) return ['corepack enable', 'pnpm install --frozen-lockfile']
  if (fs.existsSync('yarn.lock')) return ['corepack enable', 'yarn install --frozen-lockfile']
  return [fs.existsSync('package-lock.json') ? 'npm ci' : 'npm install']
}
