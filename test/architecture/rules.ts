import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Who may import whom (docs/how-it-works/design.md 1). A room is a folder or a file; the longest
 * name that fits a path is its room. Every room may import itself and Node's built-ins. Where the
 * table goes beyond it, a comment says why.
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

/** A package of the workspace may import itself and what its manifest depends on. */
function roomsOfPackages(): Record<string, Room> {
  return Object.fromEntries(
    packages.map(({ name, dependencies = {} }) => [`packages/${name}/src`, room([], Object.keys(dependencies))]),
  )
}

export const rules: Readonly<Record<string, Room>> = {
  // fast-check: the type of the plans that a scenario draws.
  'src/contract': room([], ['fast-check']),
  'src/impl': room([], ['ioredis']),

  // Layers that are HTTP servers: adapters import it, and it runs in the simulated process. The
  // package serves apps with `fetch`.
  'src/http': room(['src/contract'], ['@hono/node-server']),

  // Layers, as the loader of programs brings them: the loader knows their conventions from here.
  'src/sim/adapters': room(['src/contract'], ['virtual-node']),
  // The one runner, for every host: time, chance, processes and stores are handed to it.
  // fast-check: how faults are drawn. virtual-node: its assertions.
  'src/run': room(['src/contract'], ['fast-check', 'virtual-node']),
  // Plans draw faults by the arbitraries of the faults themselves.
  'src/sim/plans': room(['src/contract', 'src/run'], ['fast-check']),
  // The parts of world.ts, which would be too long as one file.
  'src/sim/world': room(['src/contract', 'src/run', 'src/sim/adapters'], engines),
  'src/sim/world.ts': room(['src/contract', 'src/run', 'src/sim/adapters', 'src/sim/world'], ['virtual-node']),

  ...roomsOfPackages(),

  'src/check': room(['src/contract']),
  // Invariants that scenarios of ours bring along.
  'src/check/own': room(['src/contract']),
  // The wording of an invariant and of its remedies. Nothing that judges.
  'src/check/docs.ts': room(['src/contract', 'src/check']),
  'src/check/remedies.ts': room(['src/contract', 'src/check/docs.ts']),
  // esbuild compiles what the page does in a browser; fflate packs its pictures.
  'src/report': room(
    ['src/contract', 'src/check/docs.ts', 'src/check/remedies.ts', 'src/report/page/browser'],
    ['picocolors', 'esbuild', 'fflate'],
  ),
  // It runs in a browser, and is compiled for one: nothing of Node.
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
  // adapters: the digest of an adapter's files.
  'src/fleet': room(['src/contract', 'src/campaign', 'src/sim/adapters'], ['bullmq', 'ioredis']),
  'src/live': room(
    ['src/contract', 'src/run'],
    ['ioredis', 'test-servers', 'virtual-node', 'pg', 'toxiproxy-node-client', 'testcontainers'],
  ),
  // A program's process stands behind a simulated one; the simulated Redis and network are the
  // simulator's.
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
    // ioredis, onceproof: the text of the adapter that `init` writes.
    ['commander', 'redis-sim', 'test-servers', 'tinypool', 'tsx', 'virtual-node', 'ioredis', 'onceproof'],
  ),
  // A campaign from a program: it starts the command line, and imports nothing of it.
  // fast-check: a property over runs.
  'src/api': room(['src/contract', 'src/report', 'bin'], ['fast-check']),
  'src/vitest.ts': room(['src/api'], ['vitest']),
  // fast-check: a scenario is written with the copy that its plans are drawn from.
  'src/index.ts': room(['src/contract', 'src/api', 'src/run', 'src/sim/plans'], ['fast-check']),

  bin: room(['src/cli'], ['esbuild', 'tsx']),
  // redis: a client that the reference can be given; pg: of layers on PostgreSQL. src/http: an
  // article's stored response.
  implementations: room(
    ['src/contract', 'src/impl', 'src/http'],
    ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'ioredis', 'pg', 'redis'],
  ),
  // Redlock is a library, in a deployment that the comparison of libraries does not have.
  'implementations/suggested/002-redlock-on-five.ts': room(
    ['src/contract', 'implementations/third-party'],
    ['ioredis', 'redlock5'],
  ),
  // The libraries under test, each with the client that it is for; how a request reaches an Express
  // app.
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
 * The room of a path; null for what is outside of the table (bench, tests: they may import all but
 * these).
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
 * What may import `src/cli` after all: the package's binary, and commands of the project that do as
 * the command line does.
 */
export const binaries = [
  'bin/',
  'tools/library-comparison/',
  'tools/claims/',
  'tools/printed-by.ts',
  'tools/reported/',
  'tools/commands.ts',
  'tools/replay-live/',
  'tools/instead/',
  'tools/detection-benchmark/',
  'tools/stories/',
]

/**
 * Where the world's time and chance must come from outside: files by the reason why one is
 * excepted.
 */
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

/** Where everything that lives is reached from. Tests alone keep nothing alive. */
export const roots = [
  ...packages.flatMap(({ name, exports }) =>
    Object.values(exports).map((file) => path.posix.join('packages', name, file)),
  ),
  'src/index.ts',
  'src/http/index.ts',
  'src/vitest.ts',
  'src/cli/main.ts',
  'bin/',
  'bench/',
  'tools/',
  'implementations/',
  'scenarios/',
]
