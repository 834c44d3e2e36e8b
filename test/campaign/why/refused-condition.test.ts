import { ErrorReply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { refusedCondition } from '../../../src/campaign/causes/why/refused-condition.ts'

const process = 'consumer-1'
const failed = new ErrorReply('ConditionalCheckFailedException The conditional request failed')

/** The sentence for an item with that `ends` and a request with that `:now`. */
function said(ends: number, now: number, by = process): string | null {
  const body = JSON.stringify({
    ConditionExpression: 'attribute_not_exists(id) OR (#s = :going AND #e < :now)',
    ExpressionAttributeNames: { '#s': 'status', '#e': 'ends' },
    ExpressionAttributeValues: { ':going': { S: 'begun' }, ':now': { N: String(now) } },
  })
  const item = JSON.stringify({ Item: { status: { S: 'begun' }, ends: { N: String(ends) } } })
  const update = { process: by, label: 'UpdateItem t', seq: 3, args: ['UPDATEITEM', body], reply: failed }
  const look = { process, label: 'GetItem t', seq: 4, args: ['GETITEM', '{}'], reply: item }
  return refusedCondition([update, look], look)
}

it('names the attribute that a failed condition compared, and both numbers', () => {
  expect(said(1_700_000_005_000, 1_700_000_009)).toBe('ends (1700000005000) < :now (1700000009) is false')
  expect(said(5, 9)).toBeNull()
  expect(said(9, 5, 'consumer-2')).toBeNull()
})
