import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  MapReply,
  NullArrayReply,
  PushReply,
  type Reply,
  SetReply,
  VerbatimReply,
} from './reply.ts'

/**
 * Converts a reply to the types of RESP2, which scripts see unless they called `redis.setresp(3)`.
 * Most replies are returned unchanged.
 */
export function toResp2(reply: Reply): Reply {
  if (typeof reply !== 'object' || reply === null) return reply
  if (Array.isArray(reply)) return (reply as readonly Reply[]).some(isTyped) ? reply.map(toResp2) : reply
  if (reply instanceof MapReply) return reply.entries.map(toResp2)
  if (reply instanceof SetReply) return reply.members.map(toResp2)
  if (reply instanceof PushReply) return reply.items.map(toResp2)
  if (reply instanceof DoubleReply || reply instanceof VerbatimReply) return reply.text
  if (reply instanceof BooleanReply) return reply.value ? 1 : 0
  if (reply instanceof BigNumberReply) return reply.digits
  return reply
}

/** Converts a reply to the types of RESP3, which has only one null. */
export function toResp3(reply: Reply): Reply {
  return reply instanceof NullArrayReply ? null : reply
}

function isTyped(reply: Reply): boolean {
  return typeof reply === 'object' && reply !== null
}
