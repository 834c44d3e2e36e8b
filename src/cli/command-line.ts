/** The commands and their options, as `--help` shows them. Each command's code is loaded when it is asked for. */

import { Command } from 'commander'
import { usualPrograms } from 'test-servers'
import { leastWorst, mostWorst, usualWorst } from '../campaign/tune/worst-case.ts'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import { sinkKinds } from '../contract/api/sink.ts'
import { images } from '../live/servers/images.ts'
import type { CanariesOptions } from './commands/canaries.ts'
import type { ConfirmOptions } from './commands/confirm.ts'
import type { FrontierOptions } from './commands/frontier.ts'
import type { LiveOptions } from './commands/live.ts'
import type { MatrixOptions } from './commands/matrix.ts'
import type { MergeOptions } from './commands/merge.ts'
import type { RedisOptions } from './commands/redis.ts'
import type { ReplayOptions } from './commands/replay.ts'
import type { RunOptions } from './commands/run.ts'
import type { TuneOptions } from './commands/tune.ts'
import type { WorkerOptions } from './commands/worker.ts'
import { readCount, readDuration, readFactor, readList, readSeed, readShard, readSink, readSpan } from './options.ts'
import type { Output } from './output.ts'
import { version } from './tool-identity.ts'
import { UsageError } from './usage-error.ts'

const sinkText = `what effects reach: ${sinkKinds.join(', ')} (default: plain, or the first that the layer can use)`

export const commandNames: readonly string[] = [
  'run',
  'replay',
  'matrix',
  'frontier',
  'tune',
  'canaries',
  'live',
  'confirm',
  'list',
  'init',
  'corpus',
  'redis',
  'worker',
  'merge',
]

export function commandLine(output: Output, exit: (code: ExitCode) => void): Command {
  const program = new Command('onceproof')
    .description('Can the side effect of one key happen twice, and can a message be lost?')
    .version(version)
    .hook('preAction', (_, called) => refuseExcess(called))
  quiet(program)
  const command = (usage: string, about: string, parent = program): Command =>
    quiet(parent.command(usage)).description(about).allowExcessArguments(true)

  forMachines(
    ofPairs(
      command(
        'run',
        'every scenario × the reference, or what --impl and --scenario name; then a control that must break',
      ),
    )
      .option('--seed <int>', 'what all chance comes from; `random` for a fresh one', readSeed, 1)
      .option('--runs <n>', 'runs for each pair', readCount('--runs', 1))
      .option('--time <30s>', 'in place of --runs: for the whole campaign, shared evenly', readDuration('--time'))
      .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 0, 256))
      .option('--fleet <url>', 'the Redis queue of a fleet, whose workers play runs too')
      .option('--shard <i/n>', 'the i-th of n parts of the campaign, for `merge`', readShard)
      .option('--deep', 'play on where runs bring little that is new, and look closer at what broke')
      .option('--bail', 'stop at the first violation')
      .option('--redis <binary or host:port>', 'the real Redis that a sample is compared with; it is emptied')
      .option('--reports <dir>', 'where the report goes', 'reports')
      .option('--quiet', 'only the verdict, and the command that replays what broke')
      .option('--verbose', 'every pair and every story')
      .option('--json', 'one JSON document on standard output'),
  )
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .option('--last-failed', 'only what had no pass in the last report')
    .option('--watch', 'again whenever a file of a layer changes, what failed first')
    .option('--no-config', 'leave the onceproof.config file alone')
    .action(async (said: RunOptions, self: Command) => {
      const options = await (await import('./config.ts')).withConfig(said, self)
      if (options.watch) exit(await (await import('./commands/watch.ts')).watch(options, output))
      else exit(await (await import('./commands/run.ts')).run(options, output))
    })

  command('replay [token-or-file]', 'one run again: its story, its verdict')
    .option('--seed <int>', 'in place of a token', readSeed)
    .option('--run <n>', 'which run of that seed', readCount('--run', 0))
    .option('--impl <id or path>', 'the implementation of that run; with a token of a file, that file')
    .option('--with-next <id or path>', 'of a run of two versions, the one that took its place; likewise')
    .option('--scenario <id or path>', 'the scenario of that run; likewise')
    .option('--sink <kind>', 'the sink of that run', readSink)
    .option('--trace', 'all that happened, one line each')
    .option('--trace-file <file>', "the run in Chrome's trace format, which ui.perfetto.dev opens")
    .option('--html <file>', 'the run as a page, with its picture')
    .option('--json', 'one JSON document on standard output')
    .action(async (token: string | undefined, options: ReplayOptions) =>
      exit(await (await import('./commands/replay.ts')).replay(token, options, output)),
    )

  forMachines(
    command('matrix', "the reference and the articles' patterns × every scenario × the sinks that each can use")
      .option('--impl <id, path or glob>', 'an implementation (repeatable)', readList)
      .option(...withNext)
      .option('--scenario <id, path or glob>', 'a scenario (repeatable)', readList)
      .option('--seed <int>', 'what all chance comes from; `random` for a fresh one', readSeed, 1)
      .option('--steps', "only what each step of the articles' patterns buys, under scenarios with one kind of fault")
      .option('--runs <n>', 'runs for each cell; fewer where at-most-once breaks', readCount('--runs', 1))
      .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 0, 256))
      .option('--fleet <url>', 'the Redis queue of a fleet, whose workers play runs too')
      .option('--shard <i/n>', 'the i-th of n parts of the campaign, for `merge`', readShard)
      .option('--redis <binary or host:port>', 'the real Redis that a sample is compared with; it is emptied')
      .option('--reports <dir>', 'where the report goes', 'reports')
      .option('--write-docs <file>', "the page of the articles' patterns, as Markdown")
      .option('--quiet', 'only the verdict, and the command that replays what broke')
      .option('--verbose', 'every pair and every story')
      .option('--json', 'one JSON document on standard output'),
  )
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .action(async (options: MatrixOptions) =>
      exit(await (await import('./commands/matrix.ts')).matrix(options, output)),
    )

  command('frontier', 'the weakest Redis on which a layer is safe: deployments × what they suffer')
    .option('--impl <id, path or glob>', 'an implementation (repeatable); the reference unless told', readList)
    .option(...withNext)
    .option('--on <configuration>', 'a row of the table, such as sentinel-aof-always (repeatable)', readList)
    .option('--loss <kind>', 'a column of the table, such as cut-off (repeatable)', readList)
    .option('--sink <kind>', sinkText, readSink)
    .option('--seed <int>', 'what all chance comes from; `random` for a fresh one', readSeed, 1)
    .option('--runs <n>', 'runs for each cell; fewer where it breaks', readCount('--runs', 1))
    .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 0, 256))
    .option('--fleet <url>', 'the Redis queue of a fleet, whose workers play runs too')
    .option('--reports <dir>', 'where the report goes', 'reports')
    .option('--write-docs <file>', 'the tables, as a Markdown page')
    .option('--json', 'one JSON document on standard output')
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .action(async (options: FrontierOptions) =>
      exit(await (await import('./commands/frontier.ts')).frontier(options, output)),
    )

  const span = (option: string, part: keyof typeof usualWorst) =>
    [readSpan(option, leastWorst[part], mostWorst[part]), usualWorst[part]] as const
  command(
    'tune',
    'the shortest lease and retention with which a layer holds, and the run that breaks the next shorter one',
  )
    .option('--impl <id, path or glob>', 'an implementation (repeatable); the reference unless told', readList)
    .option(...withNext)
    .option('--work <1s>', 'how long the sink works on one effect, at most', ...span('--work', 'workMs'))
    .option('--pause <2s>', 'how long a consumer stands still, at most; 0 for never', ...span('--pause', 'pauseMs'))
    .option('--skew <250ms>', 'how far a clock jumps, at most; 0 for never', ...span('--skew', 'skewMs'))
    .option('--redelivery <1m>', 'how late a copy turns up, at most', ...span('--redelivery', 'redeliveryMs'))
    .option('--sink <kind>', sinkText, readSink)
    .option('--seed <int>', 'what all chance comes from; `random` for a fresh one', readSeed, 1)
    .option('--runs <n>', 'runs for each value', readCount('--runs', 1), 200)
    .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 0, 256))
    .option('--reports <dir>', 'where the report goes', 'reports')
    .option('--json', 'one JSON document on standard output')
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .action(async (options: TuneOptions) => exit(await (await import('./commands/tune.ts')).tune(options, output)))

  command('canaries', 'layers broken on purpose, each of which must be caught, or the harness is broken')
    .option('--seed <int>', 'what all chance comes from; `random` for a fresh one', readSeed, 1)
    .option('--runs <n>', 'most runs for each canary and scenario', readCount('--runs', 1), 4_000)
    .option('--without <fault>', 'a kind of faults to switch off (repeatable)', readList)
    .option('--own', 'instead: the canaries that only one kind of faults kills, with that kind on and off')
    .option('--shrink', 'look for a smaller run of each that was caught; doubles the time')
    .option('--only <id, path or glob>', 'a canary (repeatable)', readList)
    .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 1, 256))
    .option('--json', 'one JSON document on standard output')
    .action(async (options: CanariesOptions) =>
      exit(await (await import('./commands/canaries.ts')).canaries(options, output)),
    )

  ofPairs(
    onRealServers(
      command(
        'live [token-or-file]',
        'the same on real Redis and PostgreSQL, behind a real proxy, with operating-system processes',
      ),
      'local, docker, compose, or the URL of a server',
    ),
  )
    .option('--seed <int>', 'what plans come from; `random` for a fresh one', readSeed, 1)
    .option(
      '--run <n>',
      'that run of the seed, in place of those that the simulator finds telling',
      readCount('--run', 0),
    )
    .option('--runs <n>', 'most runs for each pair', readCount('--runs', 1), 5)
    .option('--time-scale <factor>', 'all durations of the plans times this', readFactor('--time-scale'), 0.2)
    .option('--margin <ms>', 'a run with a timer that is later is not judged', readCount('--margin', 1), 150)
    .option('--allow-destructive', 'with URLs: also faults that harm others who use the servers')
    .option('--reports <dir>', 'where the report goes', 'reports')
    .option('--json', 'one JSON document on standard output')
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .action(async (token: string | undefined, said: Omit<LiveOptions, 'given'>, self: Command) =>
      exit(await (await import('./commands/live.ts')).live(token, { ...said, given: givenIn(self) }, output)),
    )

  onRealServers(
    command('confirm [token-or-file]', 'one run on real Redis, every step of it held back until its turn'),
    'local or docker',
  )
    .option('--impl <path>', 'the file that the run is of, where it is one of yours; with --passes, any layer')
    .option('--with-next <path>', 'the same for the version that took its place')
    .option('--scenario <path>', 'the same for the scenario')
    .option('--passes <n>', 'in place of a token: the hardest runs in which the layer holds', readCount('--passes', 1))
    .option('--seed <int>', 'of --passes: what plans come from', readSeed, 1)
    .option('--tries <n>', 'how often the run is made', readCount('--tries', 1), 1)
    .option('--at-once <n>', 'how many of them at the same time', readCount('--at-once', 1, 64), 1)
    .option('--at-most <10m>', 'what a run may take; nothing is shortened', readDuration('--at-most'), 600_000)
    .option('--json', 'one JSON document on standard output')
    .action(async (token: string | undefined, options: ConfirmOptions) =>
      exit(await (await import('./commands/confirm.ts')).confirm(token, options, output)),
    )

  command('list', 'scenarios, implementations, faults, invariants, goals')
    .option('--json', 'one JSON document on standard output')
    .action(async () => (await import('./commands/list.ts')).listAll(output))

  command('init [file]', 'a new adapter that runs as it is; without a file, a project around it as well').action(
    async (file: string | undefined) => (await import('./commands/init.ts')).init(file, output),
  )

  command('redis', 'the simulated Redis on a TCP port, for redis-cli and clients in any language')
    .option('--port <n>', 'where to listen; 0 for any free port', readCount('--port', 0, 65_535), 6379)
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--password <text>', 'what clients have to give')
    .option('--json', 'one JSON document on standard output, once it listens')
    .action(async (options: RedisOptions) => (await import('./commands/redis.ts')).serveRedis(options, output))

  command('worker', "plays runs for a fleet's campaigns, on as many machines as you like; Ctrl-C ends it")
    .option('--fleet <url>', 'redis://host:port of the queue')
    .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 1, 256))
    .action(async (options: WorkerOptions) =>
      exit(await (await import('./commands/worker.ts')).worker(options, output)),
    )

  forMachines(
    command(
      'merge <folders...>',
      'what the shards of a campaign come to together; what they did not play is played here',
    )
      .option('--workers <n>', 'threads; one for each core unless told', readCount('--workers', 0, 256))
      .option('--fleet <url>', 'the Redis queue of a fleet, whose workers play runs too')
      .option('--redis <binary or host:port>', 'the real Redis that a sample is compared with; it is emptied')
      .option('--reports <dir>', 'where the report goes', 'reports')
      .option('--json', 'one JSON document on standard output'),
  )
    .option('--no-html', 'no page in the report')
    .option('--open', 'open the page')
    .action(async (folders: string[], options: MergeOptions) =>
      exit(await (await import('./commands/merge.ts')).merge(folders, options, output)),
    )

  const corpus = command('corpus', 'past failures, which every later campaign replays first')
  corpus.action(() => {
    throw new UsageError('corpus', 'say what to do: `corpus add <token>`')
  })
  command('add <token>', 'keep a failure', corpus).action(async (token: string) =>
    (await import('./commands/corpus-add.ts')).addToCorpus(token, output),
  )
  return program
}

/** The options that stand on the command line, as they are named in the code. */
function givenIn(command: Command): ReadonlySet<string> {
  const names = Object.keys(command.opts())
  return new Set(names.filter((name) => command.getOptionValueSource(name) === 'cli'))
}

/** In place of commander, which counts arguments and names none. A command with commands of its own says which there are. */
function refuseExcess(command: Command): void {
  const { registeredArguments: taken, args, commands } = command
  const first = args[taken.length]
  if (first === undefined || taken.at(-1)?.variadic === true || commands.length > 0) return
  throw new UsageError(
    `argument ${first}`,
    `\`${command.name()}\` takes ${taken.length === 0 ? 'none' : taken.length}; ` +
      'an option that takes several values is repeated for each (`--scenario a --scenario b`)',
  )
}

/** Errors are told in our own form; commander only throws them. */
function quiet(command: Command): Command {
  return command.exitOverride().configureOutput({ writeErr: () => {} })
}

/** Two versions of a layer at once. */
const withNext = [
  '--with-next <id or path>',
  'the version that takes the place of each of them, one consumer after the other',
] as const

/** Layers, or two versions of each, scenarios and sinks. */
function ofPairs(command: Command): Command {
  return command
    .option('--impl <id, path or glob>', 'an implementation (repeatable)', readList)
    .option(...withNext)
    .option('--scenario <id, path or glob>', 'a scenario (repeatable)', readList)
    .option('--sink <kind>', sinkText, readSink)
}

/** The servers and the proxy of a command that plays on them; `parts`: which it takes. */
function onRealServers(command: Command, parts: string): Command {
  return command
    .option('--with <parts>', `${parts}; the best one present unless told`)
    .option('--proxy <which>', 'builtin, toxiproxy, or the URL of one; the best one present unless told')
    .option('--redis-binary <path>', 'the redis-server of --with local', 'redis-server')
    .option('--postgres-programs <folder>', "PostgreSQL's programs, for --with local", usualPrograms())
    .option('--redis-image <image>', 'the Redis of --with docker', process.env.REDIS_IMAGE ?? images.redis)
    .option(
      '--postgres-image <image>',
      'the PostgreSQL of --with docker',
      process.env.POSTGRES_IMAGE ?? images.postgres,
    )
    .option(
      '--toxiproxy-image <image>',
      'the Toxiproxy of --with docker',
      process.env.TOXIPROXY_IMAGE ?? images.toxiproxy,
    )
}

/** What machines read beside the report. */
function forMachines(command: Command): Command {
  return command
    .option('--junit <file>', 'JUnit XML: a test case for each pair, with its findings')
    .option('--sarif <file>', 'the findings as SARIF, for code scanning')
    .option('--github', 'annotations and a step summary for GitHub Actions; on its runners without being told')
    .option('--no-github', 'neither of them, on its runners either')
}
