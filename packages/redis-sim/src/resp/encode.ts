import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  OK,
  PushReply,
  type Reply,
  SetReply,
  StatusReply,
  VerbatimReply,
} from './reply.ts'

/** Encodes a reply in this version of the protocol. */
export function encodeReply(reply: Reply, resp: 2 | 3): string {
  if (typeof reply === 'string') return `$${reply.length}\r\n${reply}\r\n`
  if (reply === OK) return '+OK\r\n'
  if (typeof reply === 'number' || typeof reply === 'bigint') return `:${reply}\r\n`
  if (reply === null) return resp === 2 ? '$-1\r\n' : '_\r\n'
  if (Array.isArray(reply)) return aggregate('*', reply, resp)
  return encodeTyped(reply as Exclude<Reply, null | readonly Reply[] | string | number | bigint>, resp)
}

function encodeTyped(reply: object, resp: 2 | 3): string {
  if (reply instanceof StatusReply) return `+${oneLine(reply.status)}\r\n`
  if (reply instanceof ErrorReply) return `-${oneLine(reply.message)}\r\n`
  if (reply instanceof NullArrayReply) return resp === 2 ? '*-1\r\n' : '_\r\n'
  if (reply instanceof MapReply) {
    if (resp === 2) return aggregate('*', reply.entries, resp)
    return `%${reply.entries.length / 2}\r\n${items(reply.entries, resp)}`
  }
  if (reply instanceof SetReply) return aggregate(resp === 2 ? '*' : '~', reply.members, resp)
  if (reply instanceof PushReply) return aggregate(resp === 2 ? '*' : '>', reply.items, resp)
  if (reply instanceof DoubleReply) return resp === 2 ? encodeReply(reply.text, 2) : `,${reply.text}\r\n`
  if (reply instanceof BooleanReply) {
    if (resp === 2) return reply.value ? ':1\r\n' : ':0\r\n'
    return reply.value ? '#t\r\n' : '#f\r\n'
  }
  if (reply instanceof VerbatimReply) {
    if (resp === 2) return encodeReply(reply.text, 2)
    return `=${reply.text.length + 4}\r\n${reply.format}:${reply.text}\r\n`
  }
  if (reply instanceof BigNumberReply) return resp === 2 ? encodeReply(reply.digits, 2) : `(${reply.digits}\r\n`
  throw new Error('a reply of an unknown kind')
}

function aggregate(sign: string, replies: readonly Reply[], resp: 2 | 3): string {
  return `${sign}${replies.length}\r\n${items(replies, resp)}`
}

function items(replies: readonly Reply[], resp: 2 | 3): string {
  let text = ''
  for (let at = 0; at < replies.length; at++) text += encodeReply(replies[at]!, resp)
  return text
}

/**
 * Replaces line ends by blanks, as Redis does in statuses and errors, because they may contain
 * bytes from a client.
 */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text
}
