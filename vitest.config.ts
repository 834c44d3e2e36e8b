import os from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { lateTierUp } from './test/tier-up.ts'

/** Judged by when something happens on the machine: when all others are done, and two at a time, since they mostly wait. */
const inRealTime = [
  'test/clients/time-outs.test.ts',
  'test/live/{docker,failover,same-facts,postgres/same-facts}.test.ts',
  'test/live/proxy/**/*.test.ts',
  'test/sim/network/{forgotten-connections,ioredis-events,node-redis,onread,socket-events}.test.ts',
  'test/sim/redis/**/{ioredis,trouble}.test.ts',
  'test/sim/runtime/order.test.ts',
]

/** Real servers and processes, which mostly wait for each other and are judged by what they did, not by when. */
const onRealServers = [
  'test/live/{live-run,live-server,overlapping-faults,parts}.test.ts',
  'test/live/{script/{confirmed,several-servers},sightings/seen,postgres/{committed-rows,faults,machine,verdicts}}.test.ts',
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
  'test/sim/network/same-bytes.test.ts',
  'test/sim/postgres/{wire/*,standby,wal-functions}.test.ts',
  'test/implementations/articles-on-postgres.test.ts',
]

/** They wait for servers, and leave nothing in their process either: spread evenly among the files that compute. */
const waiting =
  /test\/(?:clients\/failovers|fidelity\/(?:every-handler|expiry-boundary|planted-change|postgres-judge|postgres\/isolation\/compare-specs|replication)|fleet\/(?:command|fleet)|implementations\/(?:articles|suggested)|live\/(?:command|two-versions|postgres\/command|script\/cluster)|package\/.*)\.test\.ts$/

/** Seconds, about, on two cores, of files that take long. In a clone that is new, Vitest knows of none. */
const seconds: Readonly<Record<string, number>> = {
  ...{
    'package/consumer': 150,
    'implementations/repaired': 120,
    'implementations/correct': 80,
    'implementations/reference-on-postgres': 70,
    'clients/failovers': 60,
    'fleet/fleet': 60,
  },
  ...{ 'cli/compiled': 60, 'bench/board': 60, 'live/command': 65, 'cli/watchdog': 40, 'cli/run': 35 },
  ...{ 'exec/command-line': 55, 'clients/layers': 30, 'cli/module-types': 30, 'fleet/command': 25 },
  ...{ 'fidelity/every-handler': 25, 'fidelity/replication': 25, 'cli/two-versions': 25, 'cli/project': 20 },
  ...{ 'campaign/live/select-live-runs': 20, 'cli/redis': 20, 'exec/go': 20, 'live/two-versions': 20 },
  ...{ 'live/postgres/command': 120, 'live/postgres/faults': 90, 'live/postgres/verdicts': 25 },
  ...{ 'cli/replay': 15, 'cli/matrix': 15, 'cli/canaries': 15, 'cli/config': 15, 'cli/tutorial': 15 },
  ...{ 'cli/for-machines': 15, 'cli/crosscheck': 10, 'campaign/crosscheck/crosscheck': 15, 'exec/bad-programs': 15 },
  ...{ 'cli/two-versions-tables': 20, 'api/two-versions': 30, 'cli/two-versions-config': 15 },
  ...{ 'bench/library-facts': 20, 'bench/claims': 20, 'scenarios/aimed-draws': 15, 'scenarios/pure-scenarios': 10 },
  ...{ 'live/sightings/seen': 90, 'live/script/confirmed': 60, 'live/live-run': 50, 'live/script/several-servers': 45 },
  ...{ 'report/page/in-a-browser': 40, 'live/overlapping-faults': 15 },
  ...{ 'live/script/cluster': 75, 'live/postgres/same-facts': 32, 'cli/bad-input-table': 20, 'cli/tune': 25 },
  ...{ 'exec/program': 20, 'cli/determinism': 15, 'cli/documented-scenario': 15, 'campaign/frontier': 15 },
  ...{ 'sim/runtime/shared-packages': 15, 'sim/runtime/modules-named-late': 10, 'sim/world/sent-from': 10 },
  ...{ 'impl/replicated-sentinel': 20, 'impl/lost-replies': 15, 'impl/on-postgres-commit': 10, 'http/campaign': 10 },
  ...{ 'live/same-facts': 16, 'live/proxy/contract': 16, 'live/failover': 12, 'sim/redis/sentinel/ioredis': 12 },
  ...{ 'sim/network/forgotten-connections': 10, 'live/proxy/loopback-link': 8, 'sim/network/ioredis-events': 8 },
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
