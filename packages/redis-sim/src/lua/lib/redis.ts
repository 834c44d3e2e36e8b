/** The `redis` table. */

import { ErrorReply } from '../../resp/reply.ts'
import { execution } from '../execution.ts'
import { errorTable, replyToLua } from '../reply-to-lua.ts'
import { LuaError } from '../runtime/errors.ts'
import { formatG } from '../runtime/number-format.ts'
import { toNumber, toText } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaResult, LuaValue } from '../runtime/values.ts'
import { type Args, library, several, single, toInteger } from './arguments.ts'

/** Raises a table with the message, as Redis does. Lua does not add a position to tables. */
function raiseTable(message: string): never {
  throw new LuaError(errorTable(message), 0)
}

/**
 * Formats 32-bit integers as integers and other numbers with 17 digits; null if the value is
 * neither a string nor a number.
 */
function argumentText(value: LuaValue): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return null
  return (value | 0) === value && value !== 0 ? String(value) : formatG(value, 17)
}

/** The arguments of the command as texts, or an error table. */
function commandArguments(args: Args): string[] | LuaTable {
  if (args.length === 0) return errorTable('Please specify at least one argument for this redis lib call')
  const texts: string[] = []
  for (const value of args) {
    const text = argumentText(value)
    if (text === null) return errorTable('Lua redis lib command arguments must be strings or integers')
    texts.push(text)
  }
  return texts
}

function run(args: Args, raises: boolean): LuaValue {
  const texts = commandArguments(args)
  if (texts instanceof LuaTable) {
    if (raises) throw new LuaError(texts, 0)
    return texts
  }
  const reply = execution.host.call(texts)
  const value = replyToLua(reply, execution.resp)
  if (raises && reply instanceof ErrorReply) throw new LuaError(value, 0)
  return value
}

function errorReply(...args: LuaValue[]): LuaValue {
  const text = args[0]
  if (args.length !== 1 || typeof text !== 'string') return errorTable('wrong number or type of arguments')
  return errorTable(text[0] === '-' ? text : `-${text}`)
}

function statusReply(...args: LuaValue[]): LuaValue {
  if (args.length !== 1 || typeof args[0] !== 'string') return errorTable('wrong number or type of arguments')
  const table = new LuaTable()
  table.set('ok', args[0])
  return table
}

function log(...args: LuaValue[]): LuaResult {
  if (args.length < 2) raiseTable('redis.log() requires two arguments or more.')
  const given = toNumber(args[0])
  if (given === undefined) raiseTable('First argument must be a number (log level).')
  const level = toInteger(given) | 0
  if (level < 0 || level > 3) raiseTable('Invalid debug level.')
  // An argument that is neither a string nor a number is omitted, but the blank before the next
  // argument remains.
  const parts = args.slice(1).map(toText)
  const text = parts.map((part, index) => (part === undefined ? '' : (index > 0 ? ' ' : '') + part)).join('')
  execution.host.log(level, text)
  return []
}

function setResp(...args: LuaValue[]): LuaResult {
  if (args.length !== 1) raiseTable('redis.setresp() requires one argument.')
  const version = toInteger(toNumber(args[0]) ?? 0) | 0
  if (version !== 2 && version !== 3) raiseTable('RESP version must be 2 or 3.')
  execution.resp = version
  execution.host.setResp(version)
  return []
}

function setRepl(...args: LuaValue[]): LuaResult {
  if (args.length !== 1) raiseTable('redis.set_repl() requires two arguments.')
  const flags = toInteger(toNumber(args[0]) ?? 0) | 0
  if ((flags & ~3) !== 0) {
    raiseTable('Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.')
  }
  execution.host.setRepl?.(flags)
  return []
}

function aclCheck(...args: LuaValue[]): LuaValue {
  const texts = commandArguments(args)
  if (texts instanceof LuaTable) throw new LuaError(texts, 0)
  const { host } = execution
  const may = host.mayCall === undefined ? true : host.mayCall(texts)
  if (may === null) raiseTable('Invalid command passed to redis.acl_check_cmd()')
  return may
}

function sha1hex(...args: LuaValue[]): LuaValue {
  if (args.length !== 1) raiseTable('wrong number of arguments')
  return execution.host.sha1hex(toText(args[0]) ?? '')
}

export const redisLibrary = library({
  call: single((...args) => run(args, true)),
  pcall: single((...args) => run(args, false)),
  log: several(log),
  LOG_DEBUG: 0,
  LOG_VERBOSE: 1,
  LOG_NOTICE: 2,
  LOG_WARNING: 3,
  REDIS_VERSION_NUM: 0x0007000f,
  REDIS_VERSION: '7.0.15',
  setresp: several(setResp),
  sha1hex: single(sha1hex),
  error_reply: single(errorReply),
  status_reply: single(statusReply),
  set_repl: several(setRepl),
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
  acl_check_cmd: single(aclCheck),
  breakpoint: single(() => false),
  debug: several(() => []),
  replicate_commands: single(() => true),
})
