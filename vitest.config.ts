import os from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { lateTierUp } from './test/tier-up.ts'

/** Judged by when something happens on the machine: when all others are done, and two at a time, since they mostly wait. */
const inRealTime = [
  'test/clients/time-outs.test.ts',
  'test/live/{docker,failover,same-facts,cluster/{failover,first-node},postgres/same-facts}.test.ts',
  'test/live/proxy/**/*.test.ts',
  'test/sim/network/{forgotten-connections,ioredis-events,node-redis,onread,socket-events}.test.ts',
  'test/sim/redis/**/{ioredis,trouble}.test.ts',
  'test/sim/runtime/order.test.ts',
]

/** Real servers and processes, which mostly wait for each other and are judged by what they did, not by when. */
const onRealServers = [
  'test/live/{live-run,live-server,overlapping-faults,parts}.test.ts',
  'test/live/{script/{confirmed,several-servers},{cluster,sightings}/seen,postgres/{committed-rows,faults,machine,verdicts}}.test.ts',
  'test/report/page/in-a-browser.test.ts',
]

const sharing = 'on real servers, in shared processes'
/** As these, but for what they leave in their process, which is nothing. Commands of theirs time out soon, so nothing computes beside them. */
const onRealServersShared = [
  'test/clients/what-clients-send.test.ts',
  'test/impl/{attempts,clients,data-loss,events,generations,lost-replies,node-redis,once,on-postgres*,permissions,replicated*,settle,transitions}.test.ts',
  'test/fidelity/dynamodb-judge.test.ts',
  'test/recipes/**/*.test.ts',
  'test/sim/dynamodb/sdk.test.ts',
  'test/sim/network/{same-bytes,written-at-once}.test.ts',
  'test/sim/postgres/{wire/*,standby,wal-functions}.test.ts',
  'test/implementations/articles-on-postgres.test.ts',
]

/** They wait for servers, and leave nothing in their process either: spread evenly among the files that compute. */
const waiting =
  /test\/(?:clients\/failovers|fidelity\/(?:every-handler|expiry-boundary|planted-change|postgres-judge|postgres\/isolation\/compare-specs|replication|story-servers)|fleet\/(?:command|fleet)|implementations\/(?:articles|suggested)|live\/(?:command|two-versions|postgres\/command|script\/(?:cluster|postgres))|package\/.*)\.test\.ts$/

/** Seconds, about, on two cores, of files that take long. In a clone that is new, Vitest knows of none. */
const seconds: Readonly<Record<string, number>> = {
  ...{ 'package/consumer': 150, 'live/postgres/command': 70, 'implementations/repaired': 120 },
  ...{ 'implementations/reference-on-postgres': 85, 'implementations/correct': 80, 'live/sightings/seen': 70 },
  ...{ 'live/postgres/faults': 70, 'bench/board': 65, 'live/script/cluster': 65, 'live/command': 65 },
  ...{ 'live/cluster/failover': 70, 'live/cluster/seen': 50, 'live/cluster/first-node': 12 },
  ...{ 'clients/failovers': 55, 'report/page/in-a-browser': 55, 'exec/command-line': 45, 'cli/run': 45 },
  ...{ 'cli/tune': 45, 'fleet/fleet': 45, 'live/script/postgres': 45, 'fleet/command': 40 },
  ...{ 'fidelity/every-handler': 40, 'live/postgres/same-facts': 40, 'cli/compiled': 35 },
  ...{ 'live/script/several-servers': 35, 'scenarios/pure-scenarios': 35, 'api/two-versions': 30 },
  ...{ 'bench/claims': 30, 'scenarios/aimed-draws': 30, 'live/postgres/verdicts': 30, 'cli/watchdog': 25 },
  ...{ 'clients/layers': 25, 'cli/two-versions': 25, 'live/script/confirmed': 25, 'live/live-run': 25 },
  ...{ 'http/campaign': 25, 'fidelity/replication': 25, 'cli/project': 20, 'bench/library-facts': 20 },
  ...{ 'campaign/live/select-live-runs': 20, 'cli/two-versions-config': 20, 'sim/world/sent-from': 20 },
  ...{ 'live/two-versions': 20, 'live/postgres/committed-rows': 20, 'impl/replicated-sentinel': 20 },
  ...{ 'cli/module-types': 15, 'cli/bad-input-table': 15, 'cli/two-versions-tables': 15, 'cli/replay': 15 },
  ...{ 'cli/determinism': 15, 'cli/documented-scenario': 15, 'cli/crosscheck': 15 },
  ...{ 'fidelity/postgres/deadlock-at-once': 15, 'sim/lua/effort': 15, 'impl/lost-replies': 15, 'cli/redis': 10 },
  ...{ 'exec/go': 10, 'cli/config': 10, 'cli/canaries': 10, 'cli/for-machines': 10, 'cli/matrix': 10 },
  ...{ 'cli/tutorial': 10, 'campaign/shard/shard': 10, 'cli/bad-input': 10, 'exec/articles': 10 },
  ...{ 'live/overlapping-faults': 10, 'live/postgres/machine': 10, 'fidelity/planted-change': 10 },
  ...{ 'impl/on-postgres-commit': 10, 'impl/on-postgres': 10, 'impl/events': 10, 'impl/clients': 10 },
  ...{ 'clients/what-clients-send': 10, 'live/same-facts': 10, 'sim/redis/sentinel/ioredis': 10 },
  ...{ 'live/failover': 10, 'sim/runtime/shared-packages': 8, 'exec/bad-programs': 8, 'impl/node-redis': 8 },
  ...{ 'sim/postgres/standby': 8, 'sim/network/forgotten-connections': 8, 'campaign/frontier': 7 },
  ...{ 'campaign/crosscheck/crosscheck': 7, 'report/page/pictures': 7, 'live/proxy/contract': 7, 'exec/program': 6 },
  ...{ 'campaign/crosscheck/replay-traffic': 6, 'campaign/live/live-pair': 6, 'bench/instead': 6 },
  ...{ 'sim/network/ioredis-events': 6, 'live/proxy/loopback-link': 6 },
}

/** What a layer does to its process: Vitest gives `process.exit` back after a file, and what the simulator made of it is gone. */
const endingProcesses = ['test/sim/runtime/{load-implementation,process}.test.ts', 'test/sim/world/world.test.ts']

/** Two more than there are cores: there is nearly always a file that waits for a server or a process. */
const maxWorkers = os.availableParallelism() + 2

/**
 * Long files first. Those that wait are spread evenly among those that compute, and so are those that have a process to
 * themselves: if they came last, cores would wait with them. Where one of them begins, a process that files share ends, since
 * Vitest keeps it only as long as the next file is one of them; the next one loads the sources again, which takes a second.
 */
class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a))
    const [sharedToo, others] = split(sorted, ({ project }) => project.name === sharing)
    const [wait, compute] = split(others, (file) => file.project.name !== 'parallel' || waiting.test(file.moduleId))
    const evenly = [wait, compute].flatMap(placed).sort((a, b) => a.place - b.place)
    return [...evenly.map(({ file }) => file), ...sharedToo]
  }
}

function secondsOf({ moduleId }: TestSpecification): number {
  return seconds[/.*\/test\/(.*)\.test\.ts$/.exec(moduleId)![1]!] ?? 1
}

/** Which part of their time is over when each begins. */
function placed(files: readonly TestSpecification[]) {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0)
  let before = 0
  return files.map((file) => {
    const place = before / total
    before += secondsOf(file)
    return { file, place }
  })
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

export default defineConfig({
  // In a folder that is there when the tests begin. A new one in `node_modules` may be a package that stands before another one:
  // every layer that was compiled until then would be compiled again.
  cacheDir: 'node_modules/.cache/vitest',
  test: {
    pool: 'forks',
    execArgv: lateTierUp,
    maxWorkers,
    globalSetup: 'test/temporary-files.mjs',
    // Node loads the sources (test/sources/register.mjs says why). No test puts another module in the place of one.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: 'test/sources/setup.mjs',
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
          exclude: [...inRealTime, ...onRealServers, ...onRealServersShared, ...endingProcesses],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'parallel, each in a process', include: endingProcesses } },
      {
        extends: true,
        test: { name: sharing, include: onRealServersShared, isolate: false },
      },
      {
        extends: true,
        test: { name: 'on real servers', include: onRealServers },
      },
      {
        extends: true,
        test: {
          name: 'in real time',
          include: inRealTime,
          // Once all others are done.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
