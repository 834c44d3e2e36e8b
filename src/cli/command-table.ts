/**
 * The commands and options as data, for Commander, docs/reference/commands.md and the types of the
 * code.
 */
import { usualPrograms } from 'test-servers'
import { leastWorst, mostWorst, usualWorst } from '../campaign/made/worst-case.ts'
import { sinkKinds } from '../contract/api/sink.ts'
import { usualBudgetMs } from '../contract/results/live-replay.ts'
import { durationText } from '../contract/results/time-text.ts'
import { images } from '../live/servers/images.ts'
import { readCount, readDuration, readFactor, readSeed, readShard, readSink, readSpan } from './options.ts'

/** Its key in a table is its name in the code: `withNext` for `--with-next`. */
export interface OptionSpec {
  /** The placeholder of its value. An option without one is a flag. */
  readonly value?: string
  readonly help?: string
  /** The help of `--no-…`. Without `help`, the option is on by default. */
  readonly off?: string
  /** Reads the value; default: the text itself. `option`: the name for error messages. */
  readonly read?: (text: string, option: string) => unknown
  /** Each use adds a value. */
  readonly repeatable?: true
  /** Refuses a second value, with this advice. Without it, the last value counts. */
  readonly once?: string
  /** The default, and its form in the help if that is not JSON. */
  readonly default?: unknown
  readonly defaultText?: string
}
type Specs = { readonly [name: string]: OptionSpec }

export interface CommandSpec {
  /** The placeholder of its arguments. */
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
    help: 'a rolling upgrade: the version that replaces each implementation, one consumer at a time',
  },
  scenario: { ...impl, help: 'a scenario (repeatable)' },
  sink: {
    value: 'kind',
    help: `what effects reach: ${sinkKinds.join(', ')}; default: plain, or the first that the layer can use`,
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
const seed = { value: 'int', help: 'the source of all chance; `random` draws a fresh one', read: readSeed, default: 1 }
const runs = {
  value: 'n',
  help: 'runs for each pair; default: until they bring nothing new',
  read: readCount(1),
} satisfies OptionSpec
const run = { value: 'n', help: 'with --seed: the number of the run', read: readCount(0) } satisfies OptionSpec

const machines = {
  workers: { value: 'n', help: 'threads; default: one for each core', read: readCount(0, 256) },
  fleet: { value: 'url', help: 'the Redis queue of a fleet, whose workers play runs too' },
  shard: { value: 'i/n', help: 'play part i of n of the campaign; `merge` combines the parts', read: readShard },
} satisfies Specs
const { workers, fleet } = machines
const workersHere = { ...workers, read: readCount(1, 256) }

const detail = {
  quiet: { help: 'print only the verdict, and the command that replays a failure' },
  verbose: { help: 'print every pair and every story' },
} satisfies Specs

const report = {
  reports: { value: 'dir', help: 'the folder for the report', default: 'reports' },
  html: { off: 'leave the page out of the report' },
  open: { help: 'open the page' },
  json: { help: 'print one JSON document on standard output' },
} satisfies Specs
const { json } = report

const reportsOfId = {
  value: 'dir',
  help: 'with 1 or F9: the folder of the report that has it',
  default: 'reports',
} satisfies OptionSpec

const forMachines = {
  junit: { value: 'file', help: 'write JUnit XML: a test case for each pair, with its findings' },
  sarif: { value: 'file', help: 'write the findings as SARIF, for code scanning' },
  github: {
    help: 'annotations and a step summary for GitHub Actions; default: only on its runners',
    off: 'no annotations and no step summary',
  },
} satisfies Specs

const baseline = {
  value: 'file',
  help: 'the results.json of an earlier campaign: only findings that it does not have fail this one',
} satisfies OptionSpec

const redis = {
  value: 'binary or host:port',
  help: 'the real Redis to compare a sample with; the comparison empties it',
} satisfies OptionSpec

const image = (server: string, variable: string, usual: string) => ({
  value: 'image',
  help: `the ${server} image for --with docker`,
  default: process.env[variable] ?? usual,
  defaultText: `$${variable}, else ${usual}`,
})
const servers = {
  with: { value: 'parts', help: 'local, docker, compose, or the URL of a server; default: the best one present' },
  proxy: { value: 'which', help: 'builtin, toxiproxy, or the URL of one; default: the best one present' },
  redisBinary: { value: 'path', help: 'the redis-server for --with local', default: 'redis-server' },
  postgresPrograms: {
    value: 'folder',
    help: "PostgreSQL's programs for --with local",
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

/** The shared options, by their titles in docs/reference/commands.md. */
export const optionGroups: { readonly [title: string]: Specs } = {
  'Layers, scenarios and sinks': layers,
  'Chance and number of runs': { seed, runs, run },
  'Several threads and machines': machines,
  'Output and report': { ...detail, ...report },
  'Files for other programs': forMachines,
  'Real servers': { redis, ...servers },
}

export const commands = {
  run: {
    about: 'play every scenario with the reference, or what --impl and --scenario name; then a control that must break',
    options: {
      ...layers,
      seed,
      runs,
      time: {
        value: '30s',
        help: 'instead of --runs: the time for the whole campaign, shared evenly',
        read: readDuration,
      },
      ...machines,
      deep: { help: 'continue after runs bring little that is new, and look closer at failures' },
      all: { help: 'make the run of each finding small, and not only one of each root cause' },
      bail: { help: 'stop at the first violation' },
      redis,
      ...detail,
      ...report,
      ...forMachines,
      baseline,
      lastFailed: { help: 'play only the pairs that did not pass in the last report' },
      watch: { help: 'play again whenever a file of a layer changes, failures first' },
      config: { off: 'ignore the onceproof.config file' },
    },
  },
  replay: {
    args: '[token-or-file]',
    about: 'play one run again: its story and its verdict; 1 or F9 is one of the last report',
    options: {
      reports: reportsOfId,
      seed: { value: 'int', help: 'instead of a token: the seed of the run', read: readSeed },
      run,
      impl: {
        value: 'id or path',
        help: 'the implementation of that run; with a token: its file, if it is one of yours',
      },
      withNext: { value: 'id or path', help: 'the version that replaces it, if the run has two; otherwise as --impl' },
      scenario: { value: 'id or path', help: 'the scenario of that run; otherwise as --impl' },
      sink: { value: 'kind', help: 'the sink of that run', read: readSink },
      trace: { help: 'print every event on one line' },
      traceFile: { value: 'file', help: "write the run in Chrome's trace format, which ui.perfetto.dev opens" },
      html: { value: 'file', help: 'write the run as a page, with its picture' },
      json,
    },
  },
  matrix: {
    about: "play the reference and the articles' patterns in every scenario, on each sink that they can use",
    options: {
      impl,
      withNext,
      scenario,
      seed,
      steps: {
        help: "show only what each step of the articles' patterns gains, under one kind of fault at a time",
      },
      runs: { ...runs, help: 'runs for each cell; fewer if at-most-once breaks' },
      ...machines,
      redis,
      writeDocs: { value: 'file', help: "write the page about the articles' patterns, as Markdown" },
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
      runs: { ...runs, help: 'runs for each cell; fewer if the layer breaks' },
      workers,
      fleet,
      writeDocs: { value: 'file', help: 'write the tables, as a Markdown page' },
      ...report,
    },
  },
  tune: {
    about: 'find the shortest lease and retention that hold, and a run that breaks the next shorter one',
    options: {
      impl: implOrReference,
      withNext,
      work: atWorst('the longest time that the sink works on one effect', 'workMs'),
      pause: atWorst('the longest pause of a consumer; 0 for never', 'pauseMs'),
      skew: atWorst('the largest jump of a clock; 0 for never', 'skewMs'),
      redelivery: atWorst('the longest delay of a copy', 'redeliveryMs'),
      sink,
      seed,
      runs: count('runs for each value', 200),
      workers,
      ...report,
    },
  },
  canaries: {
    about: 'check that the harness catches layers that are broken on purpose',
    options: {
      seed,
      runs: count('the most runs for each canary and scenario', 4_000),
      without: { ...impl, value: 'fault', help: 'a kind of fault to switch off (repeatable)' },
      perFault: { help: 'instead: the canaries that only one kind of fault kills, with that kind on and off' },
      shrink: { help: 'search for a smaller run of each caught canary; doubles the time' },
      only: { ...impl, help: 'a canary (repeatable)' },
      workers: workersHere,
      json,
    },
  },
  live: {
    args: '[token-or-file]',
    about: 'play on real Redis and PostgreSQL, behind a real proxy, with operating-system processes',
    options: {
      ...servers,
      ...layers,
      seed,
      run: { ...run, help: 'that run of the seed, instead of the runs that the simulator finds telling' },
      runs: count('the most runs for each pair', 5),
      timeScale: { value: 'factor', help: 'multiply all durations of the plans by it', read: readFactor, default: 0.2 },
      margin: { ...count('do not judge a run if one of its timers is later than this', 150), value: 'ms' },
      allowDestructive: { help: 'with URLs: allow faults that harm other users of the servers' },
      ...report,
    },
  },
  'replay-live': {
    args: '[token-or-file]',
    about: 'play one run on real Redis, and hold every step back until its turn; 1 or F9 as for replay',
    options: {
      reports: reportsOfId,
      ...servers,
      with: { value: 'parts', help: 'local, docker or compose; default: the best one present' },
      impl: {
        value: 'path',
        help: 'the file of the implementation, if it is one of yours; with --passes, any layer',
      },
      withNext: { value: 'path', help: 'the file of the version that replaces it, if it is one of yours' },
      scenario: { value: 'path', help: 'the file of the scenario, if it is one of yours' },
      all: { help: 'instead of a token: one run of each root cause of the last report, the quickest first' },
      budget: {
        value: '10m',
        help: 'with --all: what all of them may take; a run that would take longer is left out',
        read: readDuration,
        default: usualBudgetMs,
        defaultText: typed(usualBudgetMs),
      },
      sink: {
        value: 'kind',
        help: 'with --all or an id: the sink, if the layer was played on several',
        read: readSink,
      },
      passes: { ...runs, help: 'instead of a token: play this many of the hardest runs in which the layer holds' },
      seed: { ...seed, help: 'with --passes: the source of the plans' },
      tries: count('how many times to play the run', 1),
      atOnce: count('how many tries to play at the same time', 1, 64),
      atMost: {
        value: '10m',
        help: 'the longest time for a run; the run itself is never shortened',
        read: readDuration,
        default: usualBudgetMs,
        defaultText: typed(usualBudgetMs),
      },
      json,
    },
  },
  open: {
    args: '[id]',
    about: 'open the page of the last report, at a root cause (1) or a finding (F9)',
    options: {
      reports: { ...reportsOfId, help: 'the folder of the report' },
      impl: { value: 'id', help: 'the layer, if the report has several' },
      sink: { value: 'kind', help: 'the sink, if the layer was played on several', read: readSink },
    },
  },
  list: { about: 'list scenarios, implementations, faults, invariants and goals', options: { json } },
  init: {
    args: '[file]',
    about: 'write a new adapter that runs as it is; without a file, also a project around it',
    options: {},
  },
  corpus: { about: 'keep past failures, which every later campaign replays first', options: {} },
  redis: {
    about: 'serve the simulated Redis on a TCP port, for redis-cli and clients in any language',
    options: {
      port: { value: 'n', help: 'the port; 0 for any free one', read: readCount(0, 65_535), default: 6379 },
      host: { value: 'address', help: 'the address to listen on', default: '127.0.0.1' },
      password: { value: 'text', help: 'the password that clients must give' },
      json: { help: 'print one JSON document on standard output, once it listens' },
    },
  },
  worker: {
    about: "play runs for a fleet's campaigns, on as many machines as you like; Ctrl-C ends it",
    options: { fleet: { value: 'url', help: 'redis://host:port of the queue' }, workers: workersHere },
  },
  merge: {
    args: '<folders...>',
    about: 'combine the shards of a campaign, and play what they did not play',
    options: { workers, fleet, redis, baseline, ...report, ...forMachines },
  },
} as const satisfies { readonly [name: string]: CommandSpec }

export type CommandName = keyof typeof commands
export const commandNames: readonly string[] = Object.keys(commands)

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
/** Always has a value: its default, or true. */
type Given = { readonly default: unknown } | { readonly off: string; readonly help?: never }
type Value<Of extends OptionSpec> = Of extends { readonly repeatable: true }
  ? readonly string[]
  : Of extends { readonly read: (...args: never) => infer Read }
    ? Read
    : Of extends { readonly value: string }
      ? string
      : boolean
