import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The allowed imports (docs/how-it-works/design.md 1). A room is a folder or a file; the room of a
 * path is the longest matching name. Every room may import itself and Node's built-ins. A comment
 * gives the reason for each entry that goes beyond design.md.
 */
export interface Room {
  readonly rooms: readonly string[]
  readonly packages: readonly string[]
}

const room = (rooms: readonly string[], packages: readonly string[] = []): Room => ({ rooms, packages })

const engines = ['dynamodb-sim', 'postgres-sim', 'redis-sim', 'virtual-node']

/** The manifests of the packages whose sources are imported by name. */
const packages: readonly { name: string; exports: Record<string, string>; dependencies?: object }[] = fs
  .readdirSync(fileURLToPath(new URL('../../packages', import.meta.url)))
  .filter((name) => fs.existsSync(new URL(`../../packages/${name}/src`, import.meta.url)))
  .map((name) => JSON.parse(fs.readFileSync(new URL(`../../packages/${name}/package.json`, import.meta.url), 'utf8')))

/** A package of the workspace may import itself and the dependencies in its manifest. */
function roomsOfPackages(): Record<string, Room> {
  return Object.fromEntries(
    packages.map(({ name, dependencies = {} }) => [`packages/${name}/src`, room([], Object.keys(dependencies))]),
  )
}

export const rules: Readonly<Record<string, Room>> = {
  // fast-check: the type of the plans that a scenario draws.
  'src/contract': room([], ['fast-check']),
  'src/impl': room([], ['ioredis']),
  // A subpath of the package, so that the layer itself does not need that package.
  'src/impl/opentelemetry.ts': room(['src/impl'], ['@opentelemetry/api']),

  // For layers that are HTTP servers: adapters import it, and it runs in the simulated process. The
  // package serves apps with `fetch`.
  'src/http': room(['src/contract'], ['@hono/node-server']),

  // Layers as the loader of programs loads them. The loader takes their conventions from here.
  'src/sim/adapters': room(['src/contract'], ['virtual-node']),
  // The only runner, for every host. It gets time, randomness, processes and stores from its
  // caller.
  // fast-check: how faults are drawn. virtual-node: its assertions.
  'src/run': room(['src/contract'], ['fast-check', 'virtual-node']),
  // Plans draw faults with the arbitraries of the faults.
  'src/sim/plans': room(['src/contract', 'src/run'], ['fast-check']),
  // The parts of world.ts, which would be too long as one file.
  'src/sim/world': room(['src/contract', 'src/run', 'src/sim/adapters'], engines),
  'src/sim/world.ts': room(['src/contract', 'src/run', 'src/sim/adapters', 'src/sim/world'], ['virtual-node']),

  ...roomsOfPackages(),

  'src/check': room(['src/contract']),
  // Invariants that come with our scenarios.
  'src/check/own': room(['src/contract']),
  // The wording of an invariant and of its remedies. Nothing here judges.
  'src/check/docs.ts': room(['src/contract', 'src/check']),
  'src/check/remedies.ts': room(['src/contract', 'src/check/docs.ts']),
  // esbuild compiles the browser code of the page; fflate compresses its pictures.
  'src/report': room(
    ['src/contract', 'src/check/docs.ts', 'src/check/remedies.ts', 'src/report/page/browser'],
    ['picocolors', 'esbuild', 'fflate'],
  ),
  // It is compiled for a browser, and must not use Node.
  'src/report/page/browser': room(['src/contract'], ['fflate']),
  'src/campaign': room(
    [
      'src/contract',
      'src/check',
      'src/check/remedies.ts',
      'src/run',
      'src/sim/adapters',
      'src/sim/plans',
      'src/sim/world',
      'src/sim/world.ts',
    ],
    ['fast-check', 'pure-rand', 'fflate', 'postgres-sim', 'redis-sim', 'test-servers', 'virtual-node'],
  ),
  // adapters: the digest of the files of an adapter.
  'src/fleet': room(['src/contract', 'src/campaign', 'src/sim/adapters'], ['bullmq', 'ioredis']),
  'src/live': room(
    ['src/contract', 'src/run'],
    ['ioredis', 'test-servers', 'virtual-node', 'pg', 'toxiproxy-node-client', 'testcontainers'],
  ),
  // The process of a program runs behind a simulated process. The simulated Redis and network
  // belong to the simulator.
  'src/exec': room(['src/contract', 'src/sim/adapters'], ['virtual-node']),
  'src/cli': room(
    [
      ...[
        'src/contract',
        'src/check',
        'src/campaign',
        'src/report',
        'src/run',
        'src/live',
        'src/exec',
        'src/fleet',
        'src/impl',
      ],
      ...['src/sim/adapters', 'src/sim/plans', 'src/sim/world', 'src/sim/world.ts'],
    ],
    // ioredis, onceproof: the text of the adapter that `init` writes. pg: the records of `once`.
    ['commander', 'redis-sim', 'test-servers', 'tinypool', 'tsx', 'virtual-node', 'ioredis', 'onceproof', 'pg'],
  ),
  // Starts a campaign from a program: it runs the command line, and imports nothing of it.
  // fast-check: a property over runs.
  'src/api': room(['src/contract', 'src/report', 'bin'], ['fast-check']),
  'src/vitest.ts': room(['src/api'], ['vitest']),
  // fast-check: scenarios must use the copy that draws their plans.
  'src/index.ts': room(['src/contract', 'src/api', 'src/run', 'src/sim/plans'], ['fast-check']),

  bin: room(['src/cli'], ['esbuild', 'tsx']),
  // redis: another client for the reference. pg: layers on PostgreSQL. src/http: the stored
  // response of an article.
  implementations: room(
    ['src/contract', 'src/impl', 'src/http'],
    ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'ioredis', 'pg', 'redis'],
  ),
  // Redlock is a library, in a deployment that the comparison of libraries lacks.
  'implementations/suggested/002-redlock-on-five.ts': room(
    ['src/contract', 'implementations/third-party'],
    ['ioredis', 'redlock5'],
  ),
  // The libraries under test, each with its client, and the packages that pass a request to an
  // Express app.
  'implementations/third-party': room(
    ['src/contract'],
    [
      ...['@aws-lambda-powertools/idempotency', '@microfleet/ioredis-lock', '@node-idempotency/core'],
      ...['@node-idempotency/storage-adapter-redis', '@sesamecare-oss/redlock', 'bullmq', 'express-idempotency'],
      ...['express-idempotency-redis-adapter', 'redis-semaphore', 'redlock4', 'redlock5', 'simple-redis-mutex'],
      ...['express', 'ioredis', 'ioredis5', 'light-my-request', 'redis'],
    ],
  ),
  scenarios: room(['src/contract', 'src/sim/plans', 'src/run', 'src/check/own'], ['fast-check']),
}

/**
 * The room of a path; null outside of the table. Bench and tests are outside: they may import
 * everything that is not loaded by path.
 */
export function roomOf(file: string): string | null {
  return roomIn(rules, file)
}

export function roomIn(table: Readonly<Record<string, Room>>, file: string): string | null {
  const names = Object.keys(table).filter((name) => file === name || file.startsWith(`${name}/`))
  return names.sort((a, b) => b.length - a.length)[0] ?? null
}

/** Loaded by path, never imported. */
export const loadedByPath = ['src/cli', 'scenarios', 'implementations']

/**
 * The exceptions that may import `src/cli`: the binary of the package, and commands of the project
 * that act like the command line.
 */
export const binaries = [
  'bin/',
  'tools/library-comparison/',
  'tools/claims/',
  'tools/printed-by.ts',
  'tools/reported/',
  'tools/explored-canaries/',
  'tools/commands.ts',
  'tools/replay-live/',
  'tools/instead/',
  'tools/detection-benchmark/',
  'tools/stories/',
]

/** Folders that must get time and randomness from the world. `mayUseTime` has the exceptions. */
export const timeless = [
  ...['src/run', 'src/sim', 'src/check', 'src/campaign'],
  ...engines.map((name) => `packages/${name}/src`),
]
export const mayUseTime: Readonly<Record<string, string>> = {
  'packages/virtual-node/src/runtime': 'it is what replaces them',
  'packages/virtual-node/src/virtual-world.ts': 'it begins in a macrotask of the real event loop: `real.setImmediate`',
  'packages/redis-sim/src/tcp.ts': 'it serves real sockets by the clock of the machine',
  'src/sim/world.ts': 'a run begins in a macrotask of the real event loop: `real.setImmediate`',
}

/** The entry points from which all live code is reachable. Tests alone do not keep code alive. */
export const roots = [
  ...packages.flatMap(({ name, exports }) =>
    Object.values(exports).map((file) => path.posix.join('packages', name, file)),
  ),
  'src/index.ts',
  'src/http/index.ts',
  'src/impl/opentelemetry.ts',
  'src/vitest.ts',
  'src/cli/main.ts',
  'bin/',
  'bench/',
  'tools/',
  'implementations/',
  'scenarios/',
]
