/** Converts replies of commands to Lua values, for RESP2 and for scripts that chose RESP3. */
import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  PushReply,
  type Reply,
  SetReply,
  StatusReply,
  VerbatimReply,
} from '../resp/reply.ts'
import { LuaTable } from './runtime/table.ts'
import type { LuaValue } from './runtime/values.ts'

/**
 * Makes a table with `err`. If the text starts with a dash, the error code is its first word;
 * otherwise the code is ERR.
 */
export function errorTable(text: string): LuaTable {
  const message = text.split('\0', 1)[0]!
  let code = 'ERR'
  let rest = message
  if (message[0] === '-') {
    const blank = message.indexOf(' ')
    if (blank > 0) code = message.slice(1, blank)
    rest = message.slice(blank + 1 || 1)
  }
  return tableWith('err', `${code} ${rest.replace(/^[\r\n]+|[\r\n]+$/g, '')}`)
}

function tableWith(key: string, value: LuaValue): LuaTable {
  const table = new LuaTable()
  table.set(key, value)
  return table
}

function commandError(message: string): LuaTable {
  const table = errorTable(`-${message}`)
  table.set('ignore_error_stats_update', true)
  return table
}

export function replyToLua(reply: Reply, resp: 2 | 3): LuaValue {
  switch (typeof reply) {
    case 'string':
    case 'number':
      return reply
    case 'bigint':
      return Number(reply)
    default:
      return resp === 2 ? objectToLua2(reply) : objectToLua3(reply)
  }
}

type ObjectReply = Exclude<Reply, string | number | bigint>

function listToLua(items: readonly Reply[], resp: 2 | 3): LuaTable {
  return LuaTable.fromList(items.map((item) => replyToLua(item, resp)))
}

function objectToLua2(reply: ObjectReply): LuaValue {
  if (reply === null || reply instanceof NullArrayReply) return false
  if (reply instanceof StatusReply) return tableWith('ok', reply.status)
  if (reply instanceof ErrorReply) return commandError(reply.message)
  if (reply instanceof MapReply) return listToLua(reply.entries, 2)
  if (reply instanceof SetReply) return listToLua(reply.members, 2)
  if (reply instanceof PushReply) return listToLua(reply.items, 2)
  if (reply instanceof DoubleReply || reply instanceof VerbatimReply) return reply.text
  if (reply instanceof BooleanReply) return reply.value ? 1 : 0
  if (reply instanceof BigNumberReply) return reply.digits
  return listToLua(reply, 2)
}

function objectToLua3(reply: ObjectReply): LuaValue {
  if (reply === null || reply instanceof NullArrayReply) return undefined
  if (reply instanceof MapReply) return tableWith('map', mapToLua(reply.entries))
  if (reply instanceof SetReply) return tableWith('set', setToLua(reply.members))
  if (reply instanceof DoubleReply) return tableWith('double', reply.value)
  if (reply instanceof BooleanReply) return reply.value
  if (reply instanceof BigNumberReply) return tableWith('big_number', reply.digits)
  if (reply instanceof VerbatimReply) {
    const table = tableWith('string', reply.text)
    table.set('format', reply.format)
    return tableWith('verbatim_string', table)
  }
  if (Array.isArray(reply)) return arrayToLua3(reply)
  return objectToLua2(reply)
}

/** Assigns the elements one by one, as Redis does, because nulls become nil in RESP3. */
function arrayToLua3(items: readonly Reply[]): LuaTable {
  const table = new LuaTable()
  items.forEach((item, index) => {
    table.set(index + 1, replyToLua(item, 3))
  })
  return table
}

function mapToLua(entries: readonly Reply[]): LuaTable {
  const table = new LuaTable()
  for (let index = 0; index < entries.length; index += 2) {
    table.set(replyToLua(entries[index]!, 3), replyToLua(entries[index + 1]!, 3))
  }
  return table
}

function setToLua(members: readonly Reply[]): LuaTable {
  const table = new LuaTable()
  for (const member of members) table.set(replyToLua(member, 3), true)
  return table
}
