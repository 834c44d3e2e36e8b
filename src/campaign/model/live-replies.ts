/** Converts commands that a real Redis executed to the types of the simulator. */

import {
  BigNumberReply,
  BooleanReply,
  DoubleReply,
  ErrorReply,
  MapReply,
  NullArrayReply,
  type Reply,
  SetReply,
  StatusReply,
} from 'redis-sim/resp'
import { type ReplyNode, readReply } from 'test-servers'
import { type LiveCommand, type Schedule, withScriptLabels } from '../../contract/results/schedule.ts'
import type { ExecutedCommand } from '../../sim/world.ts'

export function asExecuted(
  { reply, label, ...command }: LiveCommand,
  schedule: Pick<Schedule, 'scriptLabels'>,
): ExecutedCommand {
  return { ...command, label: withScriptLabels(label, schedule), reply: replyOf(readReply(reply, 0)!) }
}

export function replyOf({ sign, text, items }: ReplyNode): Reply {
  switch (sign) {
    case '+':
      return new StatusReply(text!)
    case '-':
      return new ErrorReply(text!)
    case ':':
      return Number(text)
    case '*':
      return text === null ? new NullArrayReply() : items.map(replyOf)
    case '%':
      return new MapReply(items.map(replyOf))
    case '~':
      return new SetReply(items.map(replyOf))
    case '_':
      return null
    case '#':
      return new BooleanReply(text === 't')
    case ',':
      return new DoubleReply(Number(text), text!)
    case '(':
      return new BigNumberReply(text!)
    default:
      return text
  }
}
