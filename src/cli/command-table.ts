/**
 * The commands and options as data. Commander, docs/reference/commands.md and the types of the code
 * are derived from them.
 */
import { usualPrograms } from 'test-servers'
import { leastWorst, mostWorst, usualWorst } from '../campaign/made/worst-case.ts'
import { sinkKinds } from '../contract/api/sink.ts'
import { usualBudgetMs } from '../contract/results/live-replay.ts'
import { durationText } from '../contract/results/time-text.ts'
import { images } from '../live/servers/images.ts'
import {
  readCount,
  readDuration,
  readFactor,
  readFence,
  readSeed,
  readShard,
  readSink,
  readSpan,
  readTime,
} from './options.ts'

/** One option. Its key in a table is its name in the code: `withNext` for `--with-next`. */
export interface OptionSpec {
  /** The placeholder of the option's value. An option without a placeholder is a flag. */
  readonly value?: string
  readonly help?: string
  /** The help of `--no-…`. If `help` is absent, the option is on by default. */
  readonly off?: string
  /**
   * Reads the value from its text. Default: the text itself. `option`: the name for error messages.
   */
  readonly read?: (text: string, option: string) => unknown
  /** The option may be repeated; each use adds a value. */
  readonly repeatable?: true
  /** Refuses a second value, with this advice. If absent, the last value counts. */
  readonly once?: string
  /** The default value, and in `defaultText` its form in the help, if that is not JSON. */
  readonly default?: unknown
  readonly defaultText?: string
}
type Specs = { readonly [name: string]: OptionSpec }

export interface CommandSpec {
  /** The placeholder of the command's arguments. */
  readonly args?: string
  readonly about: string
  readonly options: Specs
}

const impl = {
  value: 'id, path or glob',
  help: 'an implementation (repeatable)',
  repeatable: true,
} satisfies OptionSpec
const implOrReference = { ...impl, help: `${impl.help}; default: the reference` }
const layers = {
  impl,
  withNext: {
    value: 'id or path',
    help: 'test a rolling upgrade to this version, one consumer at a time',
  },
  scenario: { ...impl, help: 'a scenario (repeatable)' },
  sink: {
    value: 'kind',
    help: `the sink of the effects: ${sinkKinds.join(', ')}; default: plain, or the first that the layer can use`,
    read: readSink,
    once: "a campaign plays several if the config lists them (`sinks: ['plain', 'keyed']`)",
  },
} satisfies Specs
const { withNext, scenario, sink } = layers

const count = (help: string, usual: number, most?: number) => ({
  value: 'n',
  help,
  read: readCount(1, most),
  default: usual,
})
const seed = {
  value: 'int',
  help: 'the random seed of the campaign; `random` draws a new one',
  read: readSeed,
  default: 1,
}
const runs = {
  value: 'n',
  help: 'runs per pair; default: until they add no coverage',
  read: readCount(1),
} satisfies OptionSpec
const run = { value: 'n', help: 'with --seed: the number of the run', read: readCount(0) } satisfies OptionSpec

const machines = {
  workers: { value: 'n', help: 'threads; default: one per core', read: readCount(0, 256) },
  fleet: { value: 'url', help: 'share the runs with the workers of a fleet, through this Redis queue' },
  shard: { value: 'i/n', help: 'play part i of n of the campaign; combine the parts with `merge`', read: readShard },
} satisfies Specs
const { workers, fleet } = machines
const workersHere = { ...workers, read: readCount(1, 256) }

const detail = {
  quiet: { help: 'print only the verdict and the command that replays a failure' },
  verbose: { help: 'print every pair and every story' },
} satisfies Specs

export const defaultReports = 'reports'

const report = {
  reports: { value: 'dir', help: 'the folder for the report', default: defaultReports },
  html: { off: 'write no page' },
  open: { help: 'open the page' },
  json: { help: 'print one JSON document on standard output' },
} satisfies Specs
const { json } = report

const reportsOfId = {
  value: 'dir',
  help: 'for an id such as 1 or F9: the folder of its report',
  default: defaultReports,
} satisfies OptionSpec

const forMachines = {
  junit: { value: 'file', help: 'write JUnit XML: one test case per pair, with its findings' },
  sarif: { value: 'file', help: 'write the findings as SARIF for code scanning' },
  github: {
    help: 'write annotations and a step summary for GitHub Actions; default: only on its runners',
    off: 'write no annotations and no step summary',
  },
} satisfies Specs

const baseline = {
  value: 'file',
  help: 'the results.json of an earlier campaign: fail only on findings that it does not contain',
} satisfies OptionSpec

const redis = {
  value: 'binary or host:port',
  help: 'compare a sample of commands with this real Redis; the comparison empties it',
} satisfies OptionSpec

const image = (server: string, variable: string, usual: string) => ({
  value: 'image',
  help: `the ${server} image of --with docker`,
  default: process.env[variable] ?? usual,
  defaultText: `$${variable}, else ${usual}`,
})
const servers = {
  with: { value: 'parts', help: 'local, docker, compose or the URL of a server; default: the best available' },
  proxy: { value: 'which', help: 'builtin, toxiproxy or the URL of a Toxiproxy; default: the best available' },
  redisBinary: { value: 'path', help: 'the redis-server of --with local', default: 'redis-server' },
  postgresPrograms: {
    value: 'folder',
    help: 'the PostgreSQL programs of --with local',
    default: usualPrograms(),
    defaultText: '$POSTGRES_PROGRAMS, else /usr/lib/postgresql/15/bin',
  },
  redisImage: image('Redis', 'REDIS_IMAGE', images.redis),
  postgresImage: image('PostgreSQL', 'POSTGRES_IMAGE', images.postgres),
  toxiproxyImage: image('Toxiproxy', 'TOXIPROXY_IMAGE', images.toxiproxy),
} satisfies Specs

const atWorst = (help: string, part: keyof typeof usualWorst) => ({
  value: typed(usualWorst[part]),
  help,
  read: readSpan(leastWorst[part], mostWorst[part]),
  default: usualWorst[part],
  defaultText: typed(usualWorst[part]),
})
const typed = (ms: number): string => durationText(ms).replace(' ', '').replace('min', 'm')

const recordsOfOnce = {
  redis: { value: 'url', help: 'the Redis of the consumers, such as redis://host:port' },
  postgres: { value: 'url', help: 'or their PostgreSQL, such as postgres://user@host/database' },
  namespace: { value: 'name', help: '`namespace` of the consumers' },
  keyPrefix: { value: 'text', help: '`keyPrefix` of the consumers (default: once:)' },
  buckets: { ...count('`buckets` of the consumers', 1024), value: 'n' },
  json,
} satisfies Specs

/** The shared options, by their titles in docs/reference/commands.md. */
export const optionGroups: { readonly [title: string]: Specs } = {
  'Layers, scenarios and sinks': layers,
  'Seed and number of runs': { seed, runs, run },
  'Several threads and machines': machines,
  'Output and report': { ...detail, ...report },
  'Files for other programs': forMachines,
  'Real servers': { redis, ...servers },
}

export const commands = {
  run: {
    about: 'play all scenarios with the reference, or with --impl; then a control that must break',
    options: {
      ...layers,
      seed,
      runs,
      time: {
        value: '30s',
        help: 'instead of --runs: the time for the campaign, shared evenly by the pairs',
        read: readDuration,
      },
      ...machines,
      deep: { help: 'play more runs after coverage stalls, and examine failures more closely' },
      all: { help: 'minimize the run of every finding instead of one run per root cause' },
      bail: { help: 'stop at the first violation' },
      redis,
      ...detail,
      ...report,
      ...forMachines,
      baseline,
      lastFailed: { help: 'play only the pairs that did not pass in the last campaign' },
      watch: { help: 'play again if a file of a layer changes, failures first' },
      config: { off: 'ignore the onceproof.config file' },
    },
  },
  replay: {
    args: '[token-or-file]',
    about: 'replay one run and print its story and verdict; 1 or F9 is a run of the last report',
    options: {
      reports: reportsOfId,
      seed: { value: 'int', help: 'instead of a token: the seed of the run', read: readSeed },
      run,
      impl: {
        value: 'id or path',
        help: 'the implementation of the run; with a token: the file, for a layer of yours',
      },
      withNext: { value: 'id or path', help: 'the second version, if the run has two; with a token: see --impl' },
      scenario: { value: 'id or path', help: 'the scenario of the run; with a token: see --impl' },
      sink: { value: 'kind', help: 'the sink of the run', read: readSink },
      trace: { help: 'print every event on one line' },
      traceFile: { value: 'file', help: "write the run in Chrome's trace format, for ui.perfetto.dev" },
      html: { value: 'file', help: 'write the run as a page with a picture' },
      json,
    },
  },
  matrix: {
    about: "play the reference and the articles' patterns in all scenarios, on all usable sinks",
    options: {
      impl,
      withNext,
      scenario,
      seed,
      steps: {
        help: 'show only what each step of the patterns gains, under one kind of fault at a time',
      },
      runs: { ...runs, help: 'runs per cell; fewer if at-most-once breaks' },
      ...machines,
      redis,
      writeDocs: { value: 'file', help: "write the page about the articles' patterns (Markdown)" },
      ...detail,
      ...report,
      ...forMachines,
    },
  },
  configurations: {
    about: 'find the weakest Redis on which a layer is safe: deployments × losses',
    options: {
      impl: implOrReference,
      withNext,
      on: { ...impl, value: 'configuration', help: 'a row of the table, such as sentinel-aof-always (repeatable)' },
      loss: { ...impl, value: 'kind', help: 'a column of the table, such as cut-off (repeatable)' },
      sink,
      seed,
      runs: { ...runs, help: 'runs per cell; fewer if the layer breaks' },
      workers,
      fleet,
      writeDocs: { value: 'file', help: 'write the tables as a page (Markdown)' },
      ...report,
    },
  },
  tune: {
    about: 'find the shortest lease and retention that hold, and a run that breaks shorter ones',
    options: {
      impl: implOrReference,
      withNext,
      work: atWorst('the longest time that the sink takes for an effect', 'workMs'),
      pause: atWorst('the longest pause of a consumer; 0 for none', 'pauseMs'),
      skew: atWorst('the largest clock jump; 0 for none', 'skewMs'),
      redelivery: atWorst('the longest delay of a redelivery', 'redeliveryMs'),
      sink,
      seed,
      runs: count('runs per value', 200),
      workers,
      ...report,
    },
  },
  canaries: {
    about: 'check that the harness catches deliberately broken layers',
    options: {
      seed,
      runs: count('maximum runs per canary and scenario', 4_000),
      without: { ...impl, value: 'fault', help: 'a kind of fault to switch off (repeatable)' },
      perFault: { help: 'play the canaries that only one kind of fault catches, with and without that kind' },
      shrink: { help: 'minimize the run of each caught canary; doubles the time' },
      only: { ...impl, help: 'a canary (repeatable)' },
      workers: workersHere,
      json,
    },
  },
  explore: {
    about: 'play every order of a few deliveries, with a few faults at every step',
    options: {
      impl: { value: 'id or path', help: 'an implementation; default: the reference' },
      deliveries: count('messages with one key', 2, 5),
      faults: { ...count('the most faults of a run', 1), read: readCount(0, 3) },
      kinds: { value: 'list', help: 'kinds of faults, with commas between; default: the common ones' },
      sentinels: { help: 'a primary with a replica and three Sentinels instead of one server' },
      all: { help: 'continue after the first order that breaks the layer' },
      time: { value: '10m', help: 'end after this time, and report how much is left', read: readDuration },
      sink,
      workers,
      fleet,
      json,
    },
  },
  live: {
    args: '[token-or-file]',
    about: 'play on real Redis and PostgreSQL, with real processes and a real proxy',
    options: {
      ...servers,
      ...layers,
      seed,
      run: { ...run, help: 'play this run instead of the runs selected by simulation' },
      runs: count('maximum runs per pair', 5),
      timeScale: {
        value: 'factor',
        help: 'multiply all durations of the plans by this factor',
        read: readFactor,
        default: 0.2,
      },
      margin: { ...count('do not judge a run with a timer later than this', 150), value: 'ms' },
      allowDestructive: { help: 'for URLs: allow faults that harm other users of the servers' },
      ...report,
    },
  },
  'replay-live': {
    args: '[token-or-file]',
    about: 'replay one run on real Redis, step by step; 1 or F9 is a run of the last report',
    options: {
      reports: reportsOfId,
      ...servers,
      with: { value: 'parts', help: 'local, docker or compose; default: the best available' },
      impl: {
        value: 'path',
        help: 'the file of the implementation, for a layer of yours; with --passes: any layer',
      },
      withNext: { value: 'path', help: 'the file of the second version, for a layer of yours' },
      scenario: { value: 'path', help: 'the file of the scenario, for a scenario of yours' },
      all: { help: 'instead of a token: one run per root cause of the last report, quickest first' },
      budget: {
        value: '10m',
        help: 'with --all: the time for all runs; a run that would take longer is skipped',
        read: readDuration,
        default: usualBudgetMs,
        defaultText: typed(usualBudgetMs),
      },
      sink: {
        value: 'kind',
        help: 'with --all or an id: the sink, if the report has several',
        read: readSink,
      },
      passes: { ...runs, help: 'instead of a token: play this many of the hardest runs that pass' },
      seed: { ...seed, help: 'with --passes: the random seed of the plans' },
      tries: count('number of tries', 1),
      atOnce: count('number of tries at the same time', 1, 64),
      atMost: {
        value: '10m',
        help: 'skip runs that take longer than this; no run is cut short',
        read: readDuration,
        default: usualBudgetMs,
        defaultText: typed(usualBudgetMs),
      },
      json,
    },
  },
  open: {
    args: '[id]',
    about: 'open the page of the last report at a root cause (1) or a finding (F9)',
    options: {
      reports: { ...reportsOfId, help: 'the folder of the report' },
      impl: { value: 'id', help: 'the layer, if the report has several' },
      sink: { value: 'kind', help: 'the sink, if the report has several', read: readSink },
    },
  },
  list: { about: 'list scenarios, implementations, faults, invariants and goals', options: { json } },
  init: {
    args: '[file]',
    about: 'write an adapter that runs as it is; without a file: a whole project',
    options: {},
  },
  'corpus add': { args: '<token>', about: 'keep a failure: later campaigns replay it first', options: {} },
  'once status': {
    args: '[key]',
    about: 'the state of a key in production; without a key: of the server and its records',
    options: recordsOfOnce,
  },
  'once doubts': { about: 'list the effects in doubt in production', options: recordsOfOnce },
  'once settle': {
    args: '<key>',
    about: 'record what happened to an effect in doubt, after you have checked the sink',
    options: {
      doubt: {
        value: 'id',
        help: 'the id of the doubt, from `once doubts` or `once status`; or a .json file with the `doubt` of an outcome',
      },
      applied: { value: 'json', help: 'it happened, with this result; null if it has no result' },
      barred: { help: 'it did not happen, and the sink will always refuse it' },
      highest: { value: 'fence', help: 'with --barred: the highest fence that the sink has seen', read: readFence },
      retention: {
        value: '168h',
        help: 'if --doubt names a file: `retentionMs` of the consumers',
        read: readDuration,
      },
      settledByHand: { help: 'with --barred: every consumer has `settledByHand` or `reconcile`' },
      dryRun: { help: 'check everything, and write nothing' },
      ...recordsOfOnce,
    },
  },
  'once adopt': {
    about: 'at the first deployment: say that no effect was performed yet',
    options: {
      since: {
        value: 'time',
        help: 'no effect was performed for messages after this time; 0 if none was performed at all',
        read: readTime,
      },
      ...recordsOfOnce,
    },
  },
  redis: {
    about: 'serve the simulated Redis on a TCP port for any client',
    options: {
      port: { value: 'n', help: 'the port; 0 for any free port', read: readCount(0, 65_535), default: 6379 },
      host: { value: 'address', help: 'the address to listen on', default: '127.0.0.1' },
      password: { value: 'text', help: 'require this password from clients' },
      json: { help: 'print one JSON document on standard output as soon as it listens' },
    },
  },
  worker: {
    about: "play runs of a fleet's campaigns; stop it with Ctrl-C",
    options: {
      fleet: { value: 'url', help: 'the Redis queue of the fleet (redis://host:port)' },
      workers: workersHere,
    },
  },
  merge: {
    args: '<folders...>',
    about: 'combine shard results; runs missing from the shards are played here',
    options: { workers, fleet, redis, baseline, ...report, ...forMachines },
  },
} as const satisfies { readonly [name: string]: CommandSpec }

export type CommandName = keyof typeof commands
/** The first words of the commands. */
export const commandNames: readonly string[] = [...new Set(Object.keys(commands).map((name) => name.split(' ')[0]!))]

/** What commands of two words have in common, by their first word. */
export const commandGroups: Readonly<Record<string, string>> = {
  corpus: 'keep failures that every later campaign replays first',
  once: 'inspect and settle records of onceproof/once on a real Redis or PostgreSQL',
}

/**
 * Options about where and how a campaign is played and reported. All others define the campaign
 * itself.
 */
export const local: readonly string[] = [
  ...Object.keys({ ...machines, ...detail, ...report, ...forMachines }),
  ...['config', 'redis', 'baseline', 'writeDocs'],
]

/** The options of a command as Commander parses them. */
export type OptionsOf<Name extends CommandName> = Values<(typeof commands)[Name]['options']>
export type DetailOptions = Values<typeof detail>
export type MachineOptions = Values<typeof forMachines>

type Values<Of extends Specs> = {
  readonly [Name in keyof Of as Of[Name] extends Given ? Name : never]: Value<Of[Name]>
} & { readonly [Name in keyof Of as Of[Name] extends Given ? never : Name]?: Value<Of[Name]> }
/** An option that always has a value: its default, or true. */
type Given = { readonly default: unknown } | { readonly off: string; readonly help?: never }
type Value<Of extends OptionSpec> = Of extends { readonly repeatable: true }
  ? readonly string[]
  : Of extends { readonly read: (...args: never) => infer Read }
    ? Read
    : Of extends { readonly value: string }
      ? string
      : boolean
