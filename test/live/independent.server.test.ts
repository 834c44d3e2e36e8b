/**
 * Five independent servers of a live run. A server that granted a lock is lost or restarts empty.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { judge } from '../../src/check/index.ts'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { atFirst } from '../../src/sim/plans/aim.ts'
import { independentRedis } from '../../src/sim/plans/redis-plan.ts'
import { onceproof } from '../cli/run-cli.ts'
import { describeLive, factsOf } from './lab.ts'

const [redis] = fc.sample(independentRedis({ keeps: fc.constant('nothing') }), 1)
const message = (publishAtMs: number) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs })

/** The consumer of the first message reaches only three of the servers. */
const outOfReach = [4, 5].map(
  (number): PlannedFault => ({
    ...{ kind: 'partition', node: `redis-${number}`, way: 'both', healAfterMs: 4000 },
    ...atFirst('delivery-received'),
  }),
)
const restart = (more: object): PlannedFault => ({
  ...{ kind: 'redis-restart', server: 3, ...more },
  ...atFirst('effect-unapplied'),
})

describeLive('five independent servers', (lab) => {
  const played = (faults: readonly PlannedFault[], effectMs = 3000) =>
    lab.run(
      '002-redlock-on-five',
      {
        redis: redis!,
        messages: [message(0), message(100)],
        effectMs,
        leaseMs: 10_000,
        faults: [...outOfReach, ...faults],
      },
      { shape: 'independent' },
    )

  it('lose the majority of a lock when one of three restarts empty', async () => {
    // The first holder is still at work when the server is back, on a slow machine too.
    const run = await played([restart({ healAfterMs: 20 })], 8000)
    expect([run.notMade, run.notSeen, run.unfit]).toEqual([[], [], null])
    expect(factsOf(run, 'data-lost')).toMatchObject([
      { node: 'redis-3', cause: 'restart', redisKeys: ['locks:order-1'] },
    ])
    expect(factsOf(run, 'fault-healed')).toContainEqual(expect.objectContaining({ sentence: 'redis-3 is back, empty' }))
    expect(judge(run.history, ['at-most-once'])[0]?.verdict).toMatchObject({ verdict: 'violated' })
  })

  it('keep the lock without faults, and if that one is gone for good', async () => {
    for (const faults of [[], [restart({})]]) {
      const run = await played(faults)
      expect(factsOf(run, 'effect-applied')).toHaveLength(1)
      expect(factsOf(run, 'keys-counted')).toMatchObject([{ withoutExpiry: 0 }])
      expect(factsOf(run, 'data-lost').filter(({ cause }) => cause === 'restart')).toHaveLength(faults.length)
    }
  })

  it('are started by live, which lists unsupported faults', async () => {
    const shared = ['live', '--with', 'local', '--proxy', 'builtin', '--margin', '60000', '--json', '--no-html']
    const of = ['--impl', '002-redlock-on-five', '--scenario', 'quorum-of-five']
    const [pair] = JSON.parse((await onceproof([...shared, ...of])).stdout).pairs
    expect(pair).toMatchObject({ verdict: 'violated', live: { on: expect.stringMatching(/^local: Redis/) } })
    const clocks = { fault: 'clock-step', why: 'redis-server does not start under libfaketime' }
    const [{ live }] = JSON.parse((await onceproof([...shared, ...of, '--run', '3'])).stdout).pairs
    expect(live.notMade).toMatchObject([clocks])
  })
})
