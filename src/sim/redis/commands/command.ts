/** COMMAND, as far as clients and redis-cli ask: counts, lists, arity, flags and keys. No ACL categories, no docs. */
import { ErrorReply, MapReply, type Reply, SetReply, StatusReply } from '../../lua/reply.ts'
import type { Answer, Command, Handlers } from '../command.ts'
import { allCommands, findCommand } from '../command-table.ts'
import { syntaxError } from '../errors.ts'
import type { Session } from '../session.ts'

function simulated(): Command[] {
  return [...allCommands()].filter((command) => command.execute !== undefined || hasSimulatedPart(command))
}

function hasSimulatedPart(command: Command): boolean {
  return [...(command.subcommands?.values() ?? [])].some((subcommand) => subcommand.execute !== undefined)
}

function describe(command: Command): Reply {
  return [
    command.fullName,
    command.arity,
    new SetReply(command.flagNames.map((name) => new StatusReply(name))),
    command.firstKey,
    command.lastKey,
    command.keyStep,
    new SetReply([]),
    [],
    [],
    [...(command.subcommands?.values() ?? [])].map(describe),
  ]
}

function find(name: string): Command | undefined {
  const [first, second] = name.split('|') as [string, string?]
  const command = findCommand(first)
  return second === undefined ? command : command?.subcommands?.get(second.toLowerCase())
}

function infoOf(_session: Session, args: readonly string[]): Answer {
  if (args.length === 2) return simulated().map(describe)
  return args.slice(2).map((name) => {
    const command = find(name)
    return command === undefined ? null : describe(command)
  })
}

function list(_session: Session, args: readonly string[]): Answer {
  if (args.length !== 2) return syntaxError
  return simulated().map((command) => command.fullName)
}

function getkeys(_session: Session, args: readonly string[]): Answer {
  const words = args.slice(2)
  const command = find(words[0]!)
  if (command === undefined) return new ErrorReply('ERR Invalid command specified')
  if (command.arity >= 0 ? words.length !== command.arity : words.length < -command.arity) {
    return new ErrorReply('ERR Invalid number of arguments specified for command')
  }
  const keys = keysOf(command, words)
  return keys.length > 0 ? keys : new ErrorReply('ERR The command has no key arguments')
}

/** By position, or by count for scripts. */
function keysOf(command: Command, words: readonly string[]): string[] {
  if (/^(eval|fcall)/.test(command.fullName)) return words.slice(3, 3 + Number(words[2]))
  if (command.firstKey === 0) return []
  const last = command.lastKey < 0 ? words.length + command.lastKey : command.lastKey
  return words.filter(
    (_, at) => at >= command.firstKey && at <= last && (at - command.firstKey) % command.keyStep === 0,
  )
}

export const commandHandlers: Handlers = {
  command: () => simulated().map(describe),
  'command|count': () => simulated().length,
  'command|docs': () => new MapReply([]),
  'command|info': infoOf,
  'command|list': list,
  'command|getkeys': getkeys,
  'acl|whoami': () => 'default',
}
