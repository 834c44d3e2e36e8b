/** Reads of DynamoDB that missed a write, and whether the write mattered. */
import { epochMs } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import { conditionalPut } from '../../../implementations/articles/003-dynamodb.ts'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { decidingStep } from '../../../src/campaign/causes/deciding-step.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { atMostOnce } from '../../../src/check/at-most-once.ts'
import { play } from '../../sim/world-lab.ts'
import { story } from './story.ts'

type Item = Readonly<Record<string, { readonly N?: string; readonly S?: string }>>
const answer = (item: Item | null): string => (item === null ? '{}' : JSON.stringify({ Item: item }))
const item = (status: string, ttl = 0): Item => ({
  status: { S: status },
  ttl: { N: String(epochMs / 1000 + ttl) },
  owner: { S: `consumer-${ttl}` },
})

/** The first attempt finished. The read of the next one returned `read` instead of `latest`. */
function said(
  read: Item | null,
  latest: Item | null | undefined,
  options: { condition?: string; firstRead?: Item } = {},
) {
  const { history, executed, why } = story()
  const ask = (process: string, operation: string, body: object, reply: string, missed?: string) =>
    executed.push({
      ...{
        process,
        label: `${operation} t`,
        seq: history.events.length,
        args: [operation, JSON.stringify(body)],
        reply,
      },
      ...(missed === undefined ? {} : { missed }),
    })
  history.publish('m1').deliver(1, 'm1', 'a')
  if (options.firstRead !== undefined) ask('a', 'GetItem', {}, answer(options.firstRead))
  history.send(1, 1).apply(1).notifyCaller(1, 'receipt').done(1).at(7000).deliver(2, 'm1', 'b', 2)
  ask('b', 'GetItem', {}, answer(read), latest === undefined ? undefined : answer(latest))
  if (options.condition !== undefined) ask('b', 'PutItem', { ConditionExpression: options.condition }, '{}')
  history.send(2, 2).apply(2)
  return why('duplicate')
}

const stale = (what: string) =>
  `GetItem t of the next attempt was not consistent, and missed the last write to the item (it answered ${what}); so the attempt performed again`

describe('an eventually consistent read', () => {
  it('is the cause if the missed item has another state', () => {
    expect(said(item('IN_PROGRESS'), item('COMPLETED'))).toBe(stale('status IN_PROGRESS, the item had COMPLETED'))
    expect(said(null, item('COMPLETED'))).toBe(stale('no item, though one was there'))
    expect(said(item('OPEN'), null)).toBe(stale('an item that was deleted'))
  })

  it('is not the cause if it missed nothing that decides', () => {
    expect(said(item('IN_PROGRESS'), undefined)).not.toContain('consistent')
    expect(said(item('IN_PROGRESS', -9), item('IN_PROGRESS', -5))).not.toContain('consistent')
  })

  it('is the cause if the missed item had not ended', () => {
    expect(said(item('IN_PROGRESS', 5), item('IN_PROGRESS', 9))).toBe(
      stale(`ttl ${epochMs / 1000 + 5}, the item had ${epochMs / 1000 + 9}, which was not over`),
    )
  })

  it('is not the cause if a later condition decided, or if an attempt performed despite that state', () => {
    expect(said(null, item('COMPLETED'), { condition: 'attribute_not_exists(id)' })).not.toContain('consistent')
    expect(said(null, item('COMPLETED'), { firstRead: item('COMPLETED') })).not.toContain('consistent')
    expect(said(null, item('COMPLETED'), { firstRead: item('OPEN') })).toBe(stale('no item, though one was there'))
  })
})

describe('article 003 without ConsistentRead', () => {
  const messages = [0, 6500].map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs }))
  const late = { messages, leaseMs: 3000, visibilityMs: 60_000, effectMs: 6000, effectTimeoutMs: 60_000 }

  it('has the stale read as the cause of each violation', async () => {
    const layer = conditionalPut({ id: 'eventual', about: '', consistent: false })
    const whys = new Set<string>()
    for (let seed = 1; seed <= 10; seed++) {
      const played = await play(layer, { ...late, seed })
      const verdict = atMostOnce.judge(played.history)
      if (verdict.verdict !== 'violated') continue
      const run = attributed(played)
      whys.add(whyOf(run, verdict.violations[0]!).why)
      expect(decidingStep(run, verdict.violations[0]!)).toBe('GetItem IdempotencyStore: a value')
    }
    expect([...whys]).toEqual([
      'GetItem IdempotencyStore of the next attempt was not consistent, and missed the last write to the item (it answered status IN_PROGRESS, the item had COMPLETED); so the attempt performed again',
    ])
  })
})
