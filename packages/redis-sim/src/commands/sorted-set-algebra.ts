/**
 * ZUNION, ZINTER and ZDIFF over sorted sets and sets, and the commands that store or count their
 * results. Source: t_zset.c of Redis 7.0.
 */

import type { Handler, Handlers } from '../command.ts'
import { syntaxError, wrongType } from '../errors.ts'
import { compareBytes } from '../keyspace/entry.ts'
import { parseDouble } from '../numbers/double.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { countFrom, integer } from './arguments.ts'
import { showPairs } from './sorted-set-ranges.ts'
import { storeSortedSet } from './sorted-sets.ts'

type Operation = 'union' | 'inter' | 'diff'
type Scores = ReadonlyMap<string, number>

/** How the result is used: returned, stored, or only counted. */
type Use = 'show' | 'store' | 'count'

interface Options {
  readonly weights: number[]
  aggregate: (a: number, b: number) => number
  withScores: boolean
  limit: number
}

const aggregates: { readonly [name: string]: Options['aggregate'] } = {
  /** Opposite infinities add up to 0. */
  sum: (a, b) => (Number.isNaN(a + b) ? 0 : a + b),
  // biome-ignore lint/complexity/useMathMinMax: NaN must not win
  min: (a, b) => (b < a ? b : a),
  // biome-ignore lint/complexity/useMathMinMax: NaN must not win
  max: (a, b) => (b > a ? b : a),
}

function algebra(operation: Operation, use: Use): Handler {
  const countAt = use === 'store' ? 2 : 1
  return (session, args) => {
    const keyCount = integer(args[countAt]!)
    if (keyCount instanceof ErrorReply) return keyCount
    if (keyCount < 1) {
      return new ErrorReply(`ERR at least 1 input key is needed for '${session.command!.fullName}' command`)
    }
    if (keyCount > args.length - countAt - 1) return syntaxError
    const optionsAt = countAt + 1 + Number(keyCount)
    const inputs = lookUp(session, args.slice(countAt + 1, optionsAt))
    if (inputs instanceof ErrorReply) return inputs
    const options = parseOptions(args, optionsAt, inputs.length, operation, use)
    if (options instanceof ErrorReply) return options
    const result = combine(inputs, operation, options)
    if (use === 'count') return options.limit === 0 ? result.size : Math.min(result.size, options.limit)
    if (use === 'store') return storeSortedSet(session, args[1]!, [...result], `z${operation}store`)
    const pairs = [...result].sort(([a, x], [b, y]) => x - y || compareBytes(a, b))
    return options.withScores ? showPairs(session, pairs) : pairs.map(([member]) => member)
  }
}

/**
 * A set counts as a sorted set whose scores are all 1; a missing key counts as an empty sorted set.
 */
function lookUp(session: Session, keys: readonly string[]): Scores[] | ErrorReply {
  const inputs: Scores[] = []
  for (const key of keys) {
    const entry = session.database.read(key)
    if (entry === undefined) inputs.push(new Map())
    else if (entry.type === 'zset') inputs.push(entry.scores)
    else if (entry.type === 'set') inputs.push(new Map([...entry.members].map((member) => [member, 1] as const)))
    else return wrongType
  }
  return inputs
}

function parseOptions(
  args: readonly string[],
  from: number,
  inputs: number,
  operation: Operation,
  use: Use,
): Options | ErrorReply {
  const options: Options = {
    weights: Array.from({ length: inputs }, () => 1),
    aggregate: aggregates.sum!,
    withScores: false,
    limit: 0,
  }
  const mayWeigh = operation !== 'diff' && use !== 'count'
  for (let at = from; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const remaining = args.length - at
    if (mayWeigh && word === 'weights' && remaining >= inputs + 1) {
      for (let input = 0; input < inputs; input++) {
        const weight = parseDouble(args[++at]!)
        if (weight === undefined) return new ErrorReply('ERR weight value is not a float')
        options.weights[input] = weight
      }
    } else if (mayWeigh && word === 'aggregate' && remaining >= 2) {
      const aggregate = aggregates[args[++at]!.toLowerCase()]
      if (aggregate === undefined) return syntaxError
      options.aggregate = aggregate
    } else if (use === 'show' && word === 'withscores') options.withScores = true
    else if (use === 'count' && word === 'limit' && remaining >= 2) {
      const limit = countFrom(0, args[++at]!, new ErrorReply("ERR LIMIT can't be negative"))
      if (limit instanceof ErrorReply) return limit
      options.limit = limit
    } else return syntaxError
  }
  return options
}

function combine(
  inputs: readonly Scores[],
  operation: Operation,
  { weights, aggregate }: Options,
): Map<string, number> {
  if (operation === 'diff') {
    const [first, ...others] = inputs
    return new Map([...first!].filter(([member]) => !others.some((other) => other.has(member))))
  }
  // The smallest set comes first, because sums of floats depend on the order.
  const weighed = inputs.map((scores, at) => ({ scores, weight: weights[at]! }))
  weighed.sort((a, b) => a.scores.size - b.scores.size)
  const [smallest, ...others] = weighed
  const result = new Map<string, number>()
  if (operation === 'inter') {
    for (const [member, value] of smallest!.scores) {
      if (!others.every(({ scores }) => scores.has(member))) continue
      const start = orZero(smallest!.weight * value)
      result.set(
        member,
        others.reduce((sum, { scores, weight }) => aggregate(sum, scores.get(member)! * weight), start),
      )
    }
    return result
  }
  for (const { scores, weight } of weighed) {
    for (const [member, value] of scores) {
      const weightedScore = orZero(weight * value)
      const before = result.get(member)
      result.set(member, before === undefined ? weightedScore : aggregate(before, weightedScore))
    }
  }
  return result
}

function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value
}

export const sortedSetAlgebraHandlers: Handlers = {
  zunion: algebra('union', 'show'),
  zinter: algebra('inter', 'show'),
  zdiff: algebra('diff', 'show'),
  zunionstore: algebra('union', 'store'),
  zinterstore: algebra('inter', 'store'),
  zdiffstore: algebra('diff', 'store'),
  zintercard: algebra('inter', 'count'),
}
