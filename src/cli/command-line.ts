/**
 * Builds the commands from the command table. The code of a command is loaded when the command is
 * called.
 */
import { Command, Option } from 'commander'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import {
  type CommandName,
  type CommandSpec,
  commandGroups,
  commands,
  type OptionSpec,
  type OptionsOf,
} from './command-table.ts'
import type { Output } from './output.ts'
import { version } from './tool-identity.ts'
import { UsageError } from './usage-error.ts'

type Action<Options> = (options: Options, output: Output, self: Command) => Promise<ExitCode> | Promise<void>

const actions: { readonly [Name in CommandName]: Action<OptionsOf<Name>> } = {
  run: async (given, output, self) => {
    const options = await (await import('./config.ts')).withConfig(given, self)
    if (options.watch) return (await import('./commands/watch.ts')).watch(options, output)
    return (await import('./commands/run.ts')).run(options, output)
  },
  replay: async (options, output, { args: [token] }) =>
    (await import('./commands/replay.ts')).replay(token, options, output),
  matrix: async (options, output) => (await import('./commands/matrix.ts')).matrix(options, output),
  configurations: async (options, output) =>
    (await import('./commands/configurations.ts')).searchConfigurations(options, output),
  tune: async (options, output) => (await import('./commands/tune.ts')).tune(options, output),
  canaries: async (options, output) => (await import('./commands/canaries.ts')).canaries(options, output),
  explore: async (options, output) => (await import('./commands/explore.ts')).explore(options, output),
  live: async (options, output, self) =>
    (await import('./commands/live.ts')).live(self.args[0], { ...options, given: givenIn(self) }, output),
  'replay-live': async (options, output, { args: [token] }) =>
    (await import('./commands/replay-live.ts')).replayLive(token, options, output),
  open: async (options, output, { args: [id] }) => (await import('./commands/open.ts')).openReport(id, options, output),
  list: async (_, output) => (await import('./commands/list.ts')).listAll(output),
  init: async (_, output, { args: [file] }) => (await import('./commands/init.ts')).init(file, output),
  'corpus add': async (_, output, { args: [token] }) =>
    (await import('./commands/corpus-add.ts')).addToCorpus(token!, output),
  'once status': async (options, output, { args: [key] }) =>
    (await import('./commands/once.ts')).onceStatus(key, options, output),
  'once doubts': async (options, output) => (await import('./commands/once.ts')).onceDoubts(options, output),
  'once settle': async (options, output, { args: [key] }) =>
    (await import('./commands/once.ts')).onceSettle(key!, options, output),
  'once adopt': async (options, output) => (await import('./commands/once.ts')).onceAdopt(options, output),
  redis: async (options, output) => (await import('./commands/redis.ts')).serveRedis(options, output),
  worker: async (options, output) => (await import('./commands/worker.ts')).worker(options, output),
  merge: async (options, output, { args: folders }) =>
    (await import('./commands/merge.ts')).merge(folders, options, output),
}

/**
 * Builds the command line. When a command ends, `exit` is called with its exit code, if it returns
 * one.
 */
export function commandLine(output: Output, exit: (code: ExitCode) => void): Command {
  const program = quiet(new Command('onceproof'))
    .description('Can the side effect of one key happen twice, and can a message be lost?')
    .version(version)
    .hook('preAction', (_, called) => refuseExcess(called))
  for (const name of Object.keys(commands) as CommandName[]) {
    const { args = '', about, options }: CommandSpec = commands[name]
    const [first = '', second] = name.split(' ')
    const parent = second === undefined ? program : (groupOf(program, first) ?? addedGroup(program, first))
    const command = added(parent, `${second ?? first} ${args}`, about)
    for (const [key, spec] of Object.entries(options))
      for (const option of optionsFrom(key, spec)) command.addOption(option)
    command.action(async () => {
      const code = await actions[name](command.opts<never>(), output, command)
      if (code !== undefined) exit(code)
    })
  }
  return program
}

function groupOf(program: Command, word: string): Command | undefined {
  return program.commands.find((command) => command.name() === word)
}

/** Adds a first word, which needs a second one. */
function addedGroup(program: Command, word: string): Command {
  // An unknown option belongs to a second word that is missing or misspelled.
  const group = added(program, word, commandGroups[word]!).allowUnknownOption(true)
  return group.action(() => {
    const usages = group.commands.map((one) => `${word} ${one.name()} ${one.usage().replace(/^\[options\] ?/, '')}`)
    throw new UsageError(
      [word, ...group.args.slice(0, 1)].join(' '),
      `choose a command: ${usages.map((usage) => `\`${usage.trim()}\``).join(', ')}`,
    )
  })
}

function added(parent: Command, usage: string, about: string): Command {
  return quiet(parent.command(usage.trim())).description(about).allowExcessArguments(true)
}

function optionsFrom(key: string, spec: OptionSpec): Option[] {
  const { value, help, off, read = String, repeatable, once, defaultText } = spec
  const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const made: Option[] = []
  if (help !== undefined) {
    const option = new Option(`--${name}${value === undefined ? '' : ` <${value}>`}`, help)
    if (spec.default !== undefined) option.default(spec.default, defaultText)
    if (repeatable) option.argParser((text, before: readonly string[] = []) => [...before, text])
    else if (value !== undefined)
      option.argParser((text, before) => {
        if (once !== undefined && before !== undefined)
          throw new UsageError(`--${name}`, `given twice, but it takes one ${value}; ${once}`)
        return read(text, `--${name}`)
      })
    made.push(option)
  }
  if (off !== undefined) made.push(new Option(`--no-${name}`, off))
  return made
}

/** The options that were given on the command line, by their names in the code. */
function givenIn(command: Command): ReadonlySet<string> {
  const names = Object.keys(command.opts())
  return new Set(names.filter((name) => command.getOptionValueSource(name) === 'cli'))
}

/**
 * Rejects excess arguments, because the error of Commander would only contain their number.
 * Commander itself rejects an unknown subcommand.
 */
function refuseExcess(command: Command): void {
  const { registeredArguments: taken, args, commands } = command
  const first = args[taken.length]
  if (first === undefined || taken.at(-1)?.variadic === true || commands.length > 0) return
  throw new UsageError(
    `argument ${first}`,
    `\`${command.name()}\` takes ${taken.length === 0 ? 'none' : taken.length}; ` +
      'to give several values, repeat the option (`--scenario a --scenario b`)',
  )
}

/**
 * Makes Commander throw its errors, which `main` prints, and limits the width of the help so that
 * it is easy to read.
 */
function quiet(command: Command): Command {
  const getOutHelpWidth = () => Math.min(process.stdout.columns ?? 80, mostHelpColumns)
  return command.exitOverride().configureOutput({ writeErr: () => {}, getOutHelpWidth })
}

const mostHelpColumns = 90
