/** ACL. ACL files are not simulated. Source: acl.c of Redis 7.0. */

import { type CommandTable, categories, isIn, withSubcommands } from '../acl/categories.ts'
import { denied } from '../acl/check.ts'
import { describeCommands, printKeys } from '../acl/describe-selector.ts'
import type { Selector } from '../acl/selector.ts'
import type { Answer, Handlers } from '../command.ts'
import { arityFits } from '../dispatch.ts'
import { cString, subcommandSyntax, wrongArity } from '../errors.ts'
import { ErrorReply, MapReply, OK, type Reply, SetReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'
import { lookUp } from './command.ts'

const noFile = new ErrorReply(
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration.',
)
const mostBits = 4096
const badBits = new ErrorReply(
  `ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to ${mostBits}`,
)

function setuser({ server }: Session, args: readonly string[]): Answer {
  const name = args[2]!
  if (/[\s\0]/.test(name)) return new ErrorReply("ERR Usernames can't contain spaces or null characters")
  return server.acl.setUser(name, args.slice(3)) ?? OK
}

function deluser(session: Session, args: readonly string[]): Answer {
  const names = args.slice(2)
  if (names.includes('default')) return new ErrorReply("ERR The 'default' user cannot be removed")
  return names.filter((name) => session.server.acl.delete(name, session)).length
}

function describeParts(selector: Selector, table: CommandTable): Reply[] {
  const keys = selector.allKeys ? '~*' : selector.patterns.map(printKeys).join(' ')
  const channels = selector.allChannels ? '&*' : selector.channels.map((name) => `&${name}`).join(' ')
  return ['commands', describeCommands(selector, table), 'keys', keys, 'channels', channels]
}

function getuser({ server }: Session, args: readonly string[], table: CommandTable): Answer {
  const user = server.acl.find(args[2]!)
  if (user === undefined) return null
  const [root, ...others] = user.selectors
  return new MapReply([
    ...['flags', new SetReply(user.flags), 'passwords', user.passwords],
    ...describeParts(root!, table),
    ...['selectors', others.map((selector) => new MapReply(describeParts(selector, table)))],
  ])
}

function cat(args: readonly string[], table: CommandTable): Answer {
  if (args.length === 2) return categories
  if (args.length > 3) return subcommandSyntax(args)
  const category = args[2]!.toLowerCase()
  if (!categories.includes(category)) return new ErrorReply(`ERR Unknown category '${cString(args[2]!).slice(0, 128)}'`)
  return withSubcommands(table)
    .filter((command) => isIn(command, category))
    .map(({ fullName }) => fullName)
}

function genpass({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 3) return subcommandSyntax(args)
  const bits = args[2] === undefined ? 256 : integer(args[2])
  if (bits instanceof ErrorReply) return bits
  if (bits <= 0 || bits > mostBits) return badBits
  const digits = Math.ceil(Number(bits) / 4)
  return Array.from({ length: digits }, () => server.environment.random(16).toString(16)).join('')
}

function log({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 3) return subcommandSyntax(args)
  if (args[2]?.toLowerCase() === 'reset') {
    server.acl.log.reset()
    return OK
  }
  const count = args[2] === undefined ? 10 : integer(args[2])
  if (count instanceof ErrorReply) return count
  return server.acl.log.latest(Math.max(0, Number(count)), server.keyspace.state.nowMs)
}

function dryrun({ server }: Session, args: readonly string[], table: CommandTable): Answer {
  const user = server.acl.find(args[2]!)
  if (user === undefined) return new ErrorReply(`ERR User '${cString(args[2]!)}' not found`)
  const words = args.slice(3)
  const command = lookUp(table, words)
  if (command === undefined) return new ErrorReply(`ERR Command '${cString(args[3]!)}' not found`)
  if (!arityFits(command, words)) return wrongArity(command.fullName)
  const found = denied(user, command, words)
  if (found === null) return OK
  if (found.what === 'command') return `This user has no permissions to run the '${command.fullName}' command`
  return `This user has no permissions to access the '${cString(words[found.at]!)}' ${found.what}`
}

/** `tableOf` returns the command table, which contains these handlers. */
export function aclHandlers(tableOf: () => CommandTable): Handlers {
  return {
    'acl|setuser': setuser,
    'acl|deluser': deluser,
    'acl|getuser': (session, args) => getuser(session, args, tableOf()),
    'acl|list': ({ server }) => server.acl.all().map((user) => `user ${user.name} ${user.describe()}`),
    'acl|users': ({ server }) => server.acl.all().map(({ name }) => name),
    'acl|whoami': ({ user }) => user.name,
    'acl|cat': (_session, args) => cat(args, tableOf()),
    'acl|genpass': genpass,
    'acl|log': log,
    'acl|dryrun': (session, args) => dryrun(session, args, tableOf()),
    'acl|load': () => noFile,
    'acl|save': () => noFile,
  }
}
