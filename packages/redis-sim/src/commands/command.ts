/** COMMAND: describes every command of Redis 7.0.15, simulated or not. */

import { type CommandTable, isIn, withSubcommands } from '../acl/categories.ts'
import type { Answer, Command, Handlers } from '../command.ts'
import { syntaxError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { hasKeys, type KeyReference, type KeySpec, keyReferences } from '../key-specs.ts'
import { ErrorReply, MapReply, type Reply, SetReply, StatusReply } from '../resp/reply.ts'
import { docsOf } from './command-docs.ts'

function describe(command: Command): Reply {
  return [
    command.fullName,
    command.arity,
    statuses(command.flagNames),
    command.firstKey,
    command.lastKey,
    command.keyStep,
    statuses(command.categories),
    new SetReply(command.tips),
    new SetReply(command.keySpecs.map(describeKeySpec)),
    new SetReply([...(command.subcommands?.values() ?? [])].map(describe)),
  ]
}

function statuses(words: readonly string[]): Reply {
  return new SetReply(words.map((word) => new StatusReply(word)))
}

function describeKeySpec({ note, flags, begin, find }: KeySpec): Reply {
  return new MapReply([
    ...(note === undefined ? [] : ['notes', note]),
    ...['flags', statuses(flags)],
    ...['begin_search', new MapReply(['type', begin.type, 'spec', new MapReply(specOf(begin))])],
    ...['find_keys', new MapReply(['type', find.type, 'spec', new MapReply(specOf(find))])],
  ])
}

function specOf({ type: _, ...spec }: KeySpec['begin'] | KeySpec['find']): Reply[] {
  return Object.entries(spec).flatMap(([name, value]) => [name.toLowerCase(), value as string | number])
}

function infoOf(table: CommandTable, args: readonly string[]): Answer {
  if (args.length === 2) return [...table.values()].map(describe)
  return args.slice(2).map((name) => {
    const [first, second, ...more] = name.toLowerCase().split('|') as [string, string?, ...string[]]
    const command = more.length > 0 ? undefined : table.get(first)
    const found = second === undefined ? command : command?.subcommands?.get(second)
    return found === undefined ? null : describe(found)
  })
}

function list(table: CommandTable, args: readonly string[]): Answer {
  const names = withSubcommands(table)
  const all = names.map(({ fullName }) => fullName)
  if (args.length === 2) return all
  if (args.length !== 5 || args[2]!.toLowerCase() !== 'filterby') return syntaxError
  const filter = args[3]!.toLowerCase()
  if (filter === 'pattern') return all.filter((name) => matchesGlob(args[4]!.toLowerCase(), name))
  if (filter === 'module') return []
  if (filter !== 'aclcat') return syntaxError
  return names.filter((command) => isIn(command, args[4]!.toLowerCase())).map(({ fullName }) => fullName)
}

function references(table: CommandTable, args: readonly string[]): readonly KeyReference[] | ErrorReply {
  const words = args.slice(2)
  const command = lookUp(table, words)
  if (command === undefined) return new ErrorReply('ERR Invalid command specified')
  if (!hasKeys(command)) return new ErrorReply('ERR The command has no key arguments')
  if (command.arity >= 0 ? words.length !== command.arity : words.length < -command.arity) {
    return new ErrorReply('ERR Invalid number of arguments specified for command')
  }
  const keys = keyReferences(command, words)
  if (keys.length > 0 || command.flagNames.includes('no_mandatory_keys')) return keys
  return new ErrorReply('ERR Invalid arguments specified for command')
}

function getkeys(table: CommandTable, args: readonly string[]): Answer {
  const keys = references(table, args)
  return keys instanceof ErrorReply ? keys : keys.map(({ at }) => args[at + 2]!)
}

function getkeysandflags(table: CommandTable, args: readonly string[]): Answer {
  const keys = references(table, args)
  return keys instanceof ErrorReply ? keys : keys.map(({ at, flags }) => [args[at + 2]!, statuses(flags)])
}

export function lookUp(table: CommandTable, words: readonly string[]): Command | undefined {
  const command = table.get(words[0]!.toLowerCase())
  if (command?.subcommands === undefined || words.length === 1) return command
  return command.subcommands.get(words[1]!.toLowerCase())
}

/** `tableOf` returns the command table, which contains these handlers. */
export function commandHandlers(tableOf: () => CommandTable): Handlers {
  return {
    command: () => infoOf(tableOf(), ['command', 'info']),
    'command|count': () => tableOf().size,
    'command|info': (_session, args) => infoOf(tableOf(), args),
    'command|list': (_session, args) => list(tableOf(), args),
    'command|docs': (_session, args) => docsOf(tableOf(), args),
    'command|getkeys': (_session, args) => getkeys(tableOf(), args),
    'command|getkeysandflags': (_session, args) => getkeysandflags(tableOf(), args),
  }
}
