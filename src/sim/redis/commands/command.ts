/** COMMAND: every command of Redis 7.0.15 is told, simulated or not. No DOCS, and no filter by ACL category. */
import { ErrorReply, MapReply, type Reply, SetReply, StatusReply } from '../../lua/reply.ts'
import type { Answer, Command, Handlers } from '../command.ts'
import { findDetails } from '../command-details-table.ts'
import { allCommands, findCommand } from '../command-table.ts'
import { syntaxError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { hasKeys, type KeySpec, keysOf } from '../key-specs.ts'
import type { Session } from '../session.ts'

function describe(command: Command): Reply {
  const { categories, tips, keySpecs } = findDetails(command.fullName)
  return [
    command.fullName,
    command.arity,
    statuses(command.flagNames),
    command.firstKey,
    command.lastKey,
    command.keyStep,
    statuses(categories),
    new SetReply(tips),
    new SetReply(keySpecs.map(describeKeySpec)),
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

function find(name: string): Command | undefined {
  const [first, second, ...more] = name.split('|') as [string, string?, ...string[]]
  if (more.length > 0) return undefined
  const command = findCommand(first)
  return second === undefined ? command : command?.subcommands?.get(second.toLowerCase())
}

function infoOf(_session: Session, args: readonly string[]): Answer {
  if (args.length === 2) return [...allCommands()].map(describe)
  return args.slice(2).map((name) => {
    const command = find(name)
    return command === undefined ? null : describe(command)
  })
}

function list(session: Session, args: readonly string[]): Answer {
  const names = [...allCommands()].flatMap((command) => [command, ...(command.subcommands?.values() ?? [])])
  const all = names.map(({ fullName }) => fullName)
  if (args.length === 2) return all
  if (args.length !== 5 || args[2]!.toLowerCase() !== 'filterby') return syntaxError
  const filter = args[3]!.toLowerCase()
  if (filter === 'pattern') return all.filter((name) => matchesGlob(args[4]!.toLowerCase(), name))
  if (filter === 'module') return []
  if (filter !== 'aclcat') return syntaxError
  session.server.environment.unsupported('COMMAND LIST FILTERBY ACLCAT')
  return []
}

function getkeys(_session: Session, args: readonly string[]): Answer {
  const words = args.slice(2)
  const command = lookUp(words)
  if (command === undefined) return new ErrorReply('ERR Invalid command specified')
  if (!hasKeys(command)) return new ErrorReply('ERR The command has no key arguments')
  if (command.arity >= 0 ? words.length !== command.arity : words.length < -command.arity) {
    return new ErrorReply('ERR Invalid number of arguments specified for command')
  }
  const keys = keysOf(command, words)
  if (keys.length > 0 || command.flagNames.includes('no_mandatory_keys')) return keys
  return new ErrorReply('ERR Invalid arguments specified for command')
}

function lookUp(words: readonly string[]): Command | undefined {
  const command = findCommand(words[0]!)
  if (command?.subcommands === undefined || words.length === 1) return command
  return command.subcommands.get(words[1]!.toLowerCase())
}

export const commandHandlers: Handlers = {
  command: (session) => infoOf(session, ['command', 'info']),
  'command|count': () => [...allCommands()].length,
  'command|info': infoOf,
  'command|list': list,
  'command|getkeys': getkeys,
  'acl|whoami': () => 'default',
}
