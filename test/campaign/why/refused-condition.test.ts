import { ErrorReply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { refusedCondition } from '../../../src/campaign/causes/why/refused-condition.ts'
import type { ExecutedCommand } from '../../../src/sim/world.ts'
import { story } from './story.ts'

const process = 'consumer-1'
const failed = new ErrorReply('ConditionalCheckFailedException The conditional request failed')

/** A request with this `:now` was refused, and a read found an item with this `ends`. */
function asked(ends: number, now: number, by = process): readonly ExecutedCommand[] {
  const body = JSON.stringify({
    ConditionExpression: 'attribute_not_exists(id) OR (#s = :going AND #e < :now)',
    ExpressionAttributeNames: { '#s': 'status', '#e': 'ends' },
    ExpressionAttributeValues: { ':going': { S: 'begun' }, ':now': { N: String(now) } },
  })
  const item = JSON.stringify({ Item: { status: { S: 'begun' }, ends: { N: String(ends) } } })
  const update = { process: by, label: 'UpdateItem t', seq: 3, args: ['UPDATEITEM', body], reply: failed }
  const look = { process, label: 'GetItem t', seq: 4, args: ['GETITEM', '{}'], reply: item }
  return [update, look]
}

function said(ends: number, now: number, by = process): string | null {
  const commands = asked(ends, now, by)
  return refusedCondition(commands, commands.at(-1)!)
}

it('the attribute of a failed condition is reported with both numbers', () => {
  expect(said(1_700_000_005_000, 1_700_000_009)).toBe('ends (1700000005000) < :now (1700000009) is false')
  expect(said(5, 9)).toBeNull()
  expect(said(9, 5, 'consumer-2')).toBeNull()
})

it('the attribute is in the sentence about a message that is retried forever', () => {
  const whyOf = (now: number) => {
    const { history, executed, why } = story()
    history.publish('k1').deliver(1, 'k1', process)
    for (const { label, args, reply } of asked(5, now))
      executed.push({ process, label, args, reply, seq: history.events.length })
    history.answer(1, { status: 'retry', reason: 'at work' }).rest()
    return why('retry-goes-on', 'answered')
  }
  expect(whyOf(3)).toBe(
    'the last attempt answered retry, after GetItem t had answered a value; the condition of its write failed, since ends (5) < :now (3) is false',
  )
  expect(whyOf(9)).toBe('the last attempt answered retry, after GetItem t had answered a value')
})
