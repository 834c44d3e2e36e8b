import { describe, expect, it } from 'vitest'
import { withMoreMessages } from '../../../src/campaign/play/more-messages.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import type { CampaignDeps, WorldRequest } from '../../../src/campaign/types.ts'
import { noImmortalKeys } from '../../../src/check/no-immortal-keys.ts'
import type { KeptStructure } from '../../../src/contract/api/history.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { aRun } from '../../check/history-builder.ts'

const job = (n: number) => `bull:jobs:hook-6f726465722d3${n}`
const constant = ['bull:jobs:completed', 'bull:jobs:meta']
const added = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `bull:jobs:hook-6c617465722d33${n + 10}`)

function left(names: readonly string[], structures: readonly KeptStructure[] = []) {
  const history = aRun().publish('m1', { key: 'k1' }).publish('m2', { key: 'k2' })
  const withoutExpiry = names.length
  return history.add({ type: 'keys-counted', keys: 9, withoutExpiry, namesWithoutExpiry: names, structures })
}

const completed = (size: number, kept: KeptStructure['kept'] = 'measured'): KeptStructure => ({
  key: 'bull:jobs:completed',
  type: 'zset',
  size,
  entries: [],
  kept,
})

const message = { key: 'k1', payload: { order: 1 }, publishAtMs: 0 }
const request = {
  plan: { messages: [message], faults: [], retentionMs: 86_400_000 } as unknown as Plan,
} as WorldRequest

/** `few`: the result of the run. `more`: the result of the longer one. */
async function judged(few: ReturnType<typeof left>, more: ReturnType<typeof left>, times = 1) {
  const plans: Plan[] = []
  const deps = {
    runWorld: (asked: WorldRequest) => {
      plans.push(asked.plan)
      return Promise.resolve({ history: more })
    },
  } as unknown as CampaignDeps
  const tally = emptyTally()
  const alone = [{ name: 'no-immortal-keys', verdict: noImmortalKeys.judge(few) }] as const
  let verdicts = await withMoreMessages(alone, request, few, tally, deps)
  for (let time = 1; time < times; time++) verdicts = await withMoreMessages(alone, request, few, tally, deps)
  return { was: alone[0].verdict.verdict, is: verdicts[0]!.verdict.verdict, plans }
}

const two = () => left([...constant, job(1), job(2)]).rest()

describe('two jobs that a queue keeps', () => {
  it('are valid if later ones remove them', async () => {
    const { was, is, plans } = await judged(two(), left([...constant, added[0]!]).rest())
    expect([was, is]).toEqual(['unknown', 'valid'])
    expect(plans[0]!.messages).toHaveLength(13)
    expect(plans[0]!.retentionMs).toBe(5000)
  })

  it('stay unknown if they are there after more messages', async () => {
    expect((await judged(two(), left([...constant, job(1), job(2)]).rest())).is).toBe('unknown')
  })

  it('stay unknown if most of the later messages leave one', async () => {
    expect((await judged(two(), left([...constant, ...added.slice(0, 6)]).rest())).is).toBe('unknown')
    expect((await judged(two(), left([...constant, ...added.slice(0, 5)]).rest())).is).toBe('valid')
  })

  it('stay unknown if an index of them grows without being trimmed', async () => {
    const grown = (kept: KeptStructure['kept']) => left(constant, [completed(14, kept)]).rest()
    const few = () => left([...constant, job(1), job(2)], [completed(2)]).rest()
    expect((await judged(few(), grown('measured'))).is).toBe('unknown')
    expect((await judged(few(), grown('trimmed'))).is).toBe('valid')
  })

  it('stay unknown if the longer run does not come to rest', async () => {
    expect((await judged(two(), left(constant).add({ type: 'ended', complete: false }))).is).toBe('unknown')
  })
})

it('a longer run is skipped for a judged run, and played once for runs that left the same kinds of keys', async () => {
  expect((await judged(left(constant).rest(), left(constant).rest())).plans).toEqual([])
  expect((await judged(two(), left(constant).rest(), 3)).plans).toHaveLength(1)
})
