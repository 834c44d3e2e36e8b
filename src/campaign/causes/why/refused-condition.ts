/** Finds the attribute of a DynamoDB item whose comparison in a condition failed. */
import { ErrorReply } from 'redis-sim/resp'
import type { ExecutedCommand } from '../../../sim/world.ts'

type Value = { readonly N?: string; readonly S?: string }

interface Request {
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>>
}

const holds = {
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
} as const

/**
 * The false comparison as text, such as `ends (1764421234567) < :now (1764421234) is false`, of a
 * request that was refused before the process read the item. Null if no number was compared, or no
 * comparison was false.
 */
export function refusedCondition(executed: readonly ExecutedCommand[], look: ExecutedCommand): string | null {
  const item = jsonOf(look.reply)?.Item as Readonly<Record<string, Value>> | undefined
  const refused = executed.findLast(
    ({ process, seq, reply }) =>
      process === look.process &&
      seq <= look.seq &&
      reply instanceof ErrorReply &&
      reply.message.startsWith('ConditionalCheckFailed'),
  )
  const request = jsonOf(refused?.args[1]) as Request | null
  if (item === undefined || request === null) return null
  const {
    ConditionExpression: condition = '',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  } = request
  for (const [, name, sign, parameter] of condition.matchAll(/([\w#]+)\s*(<=|>=|<|>)\s*(:\w+)/g)) {
    const attribute = names?.[name!] ?? name!
    const kept = item[attribute]?.N
    const given = values?.[parameter!]?.N
    if (kept === undefined || given === undefined) continue
    if (!holds[sign as keyof typeof holds](Number(kept), Number(given)))
      return `${attribute} (${kept}) ${sign} ${parameter} (${given}) is false`
  }
  return null
}

export function jsonOf(text: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof text !== 'string' || !text.startsWith('{')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
