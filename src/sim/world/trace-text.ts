import { DoubleReply, ErrorReply, MapReply, type Reply, StatusReply } from 'redis-sim/resp'
import { canonicalJson } from '../../contract/api/json.ts'
import { textOf } from './text-of.ts'

/** A command in the syntax of `redis-cli`, with long arguments shortened. */
export function commandText(args: readonly string[]): string {
  return args.map((arg) => (/^[\x21-\x7e]+$/.test(arg) ? shortened(arg) : quoted(arg))).join(' ')
}

export function replyText(reply: Reply): string {
  if (reply === null) return 'nil'
  if (typeof reply === 'string') return quoted(reply)
  if (typeof reply === 'number' || typeof reply === 'bigint') return String(reply)
  if (reply instanceof StatusReply) return reply.status
  if (reply instanceof ErrorReply) return `error ${reply.message}`
  if (reply instanceof MapReply) return `{${reply.entries.map(replyText).join(', ')}}`
  if (reply instanceof DoubleReply) return reply.text
  if (Array.isArray(reply)) return `[${reply.map(replyText).join(', ')}]`
  return canonicalJson(reply)
}

function quoted(bytes: string): string {
  return JSON.stringify(shortened(textOf(bytes)))
}

function shortened(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}…`
}
