import { type Command, flagBits, type Handlers } from './command.ts'
import { type CommandSpecs, readCommandSpecs } from './command-specs.ts'
import { aclHandlers } from './commands/acl.ts'
import { allHandlers } from './commands/all.ts'
import { commandHandlers } from './commands/command.ts'

/**
 * The command table of all servers except Sentinels: the specs of real Redis, joined with the
 * handlers of the simulated commands.
 */

const immediate = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset'])
const forSubscribers = new Set([
  ...['subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe'],
  ...['ping', 'quit', 'reset'],
])
/**
 * Commands with the flag CMD_MAY_REPLICATE, which COMMAND does not print. Source: the commands'
 * definitions in Redis 7.0.
 */
const mayReplicate = new Set(['eval', 'evalsha', 'fcall', 'publish', 'spublish', 'pfcount'])

const table: ReadonlyMap<string, Command> = buildTable(readCommandSpecs(), {
  ...allHandlers,
  ...commandHandlers(() => table),
  ...aclHandlers(() => table),
})
/** Caches the command for each spelling that a client used. Unknown names are not cached. */
const spellings = new Map<string, Command>()

/** Finds a command by its first word (a container for CLIENT, CONFIG, …); undefined if unknown. */
export function findCommand(name: string): Command | undefined {
  const known = spellings.get(name)
  if (known !== undefined) return known
  const command = table.get(name.toLowerCase())
  if (command !== undefined && spellings.size < 4096) spellings.set(name, command)
  return command
}

/** All commands by name, containers with their subcommands. */
export function commandTable(): ReadonlyMap<string, Command> {
  return table
}

export function allCommands(): IterableIterator<Command> {
  return table.values()
}

export function buildTable(specs: CommandSpecs, handlers: Handlers): ReadonlyMap<string, Command> {
  const built = new Map<string, Command>()
  const names = Object.keys(specs)
  const containers = new Set(names.flatMap((name) => (name.includes('|') ? [name.split('|')[0]] : [])))
  for (const fullName of names) {
    const [name, subcommand] = fullName.split('|') as [string, string?]
    const { flags: flagNames, ...spec } = specs[fullName]!
    const command: Command = {
      ...spec,
      fullName,
      flags: bits(fullName, flagNames),
      flagNames,
      execute: handlers[fullName],
      subcommands: containers.has(fullName) ? new Map<string, Command>() : undefined,
    }
    if (subcommand === undefined) built.set(name, command)
    else (built.get(name)!.subcommands as Map<string, Command>).set(subcommand, command)
  }
  return built
}

function bits(fullName: string, names: readonly string[]): number {
  let flags = 0
  for (const name of names) flags |= (flagBits as Record<string, number>)[name] ?? 0
  if (immediate.has(fullName)) flags |= flagBits.immediate
  if (forSubscribers.has(fullName)) flags |= flagBits.subscriber
  if (mayReplicate.has(fullName)) flags |= flagBits.may_replicate
  return flags
}
