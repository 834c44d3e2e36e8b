import { describe, expect, it } from 'vitest'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import { type ExploreRequest, exploreLayer } from '../../../src/campaign/explore/explore-layer.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import { catalogue } from '../../../src/cli/catalogue.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'

const deps = createDeps(() => false)
const { explore: inThisThread } = inlineExecutor(deps, oneAtATime())
const pathOf = (kind: 'scenario' | 'implementation', id: string) =>
  catalogue(kind).find(({ path }) => path.endsWith(`/${id}.ts`))!.path

interface Exploring extends Partial<ExploreRequest> {
  readonly stopped?: () => boolean
  /** Plays one part of the exploration. */
  readonly explore?: Executor['explore']
}

/** With one fault, which is a crash or a lost reply. */
function exploration(
  id: string,
  size: number,
  { stopped = () => false, explore = inThisThread, ...more }: Exploring = {},
) {
  return exploreLayer(
    {
      ...{ scenarioPath: pathOf('scenario', 'everything'), scenarioName: 'everything', sink: 'plain', bail: true },
      ...{ implementationPath: pathOf('implementation', id), implementationName: id, runs: 5_000 },
      ...{ shapes: ['apart'], store: 'redis', bounds: { deliveries: 2, faults: 1, kinds: ['crash', 'lost-reply'] } },
      ...more,
    },
    { executor: { explore, size }, stopped, progress: () => {} },
  )
}

it('finds the smallest order that breaks a layer, with any number of tasks in flight', async () => {
  const alone = await exploration('000-lua-acquire', 1)
  expect(alone.levels).toMatchObject([{ faults: 0, placements: 1 }, { faults: 1 }])
  const [smallest] = alone.found.broken
  expect(smallest).toMatchObject({ invariant: 'at-most-once', kind: 'repeat-after-crash', choices: {} })
  expect(smallest!.plan.faults).toMatchObject([{ kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 } }])
  expect(await exploration('000-lua-acquire', 3)).toEqual(alone)
})

it('is incomplete if it is stopped early', async () => {
  let asked = 0
  const { found } = await exploration('repaired-lua-acquire', 1, { stopped: () => ++asked > 4 })
  expect(found).toMatchObject({ isCut: true, broke: 0 })
})

describe('a crash or a copy after a command', () => {
  const request = { bail: false, bounds: { deliveries: 2, faults: 1, kinds: ['crash', 'redelivery'] } }
  const command = '0 command-executed'
  /** `isSeen`: whether a fault is placed after the command with this number. */
  const withPlaces = (id: string, isSeen: (nth: number) => boolean) =>
    exploration(id, 2, {
      ...request,
      explore: async (task) => {
        const result = await inThisThread(task)
        const commands = result.passed.get(command)!.map((_, before) => isSeen(before + 1))
        return { ...result, passed: new Map([...result.passed, [command, commands]]) }
      },
    })
  const outcomesOf = ({ found }: Awaited<ReturnType<typeof exploration>>) => [...found.outcomes].sort()

  it('has the same outcomes as one before it if it changed nothing', async () => {
    const everywhere = await withPlaces('001-get-set', () => true)
    const placed = await exploration('001-get-set', 2, request)
    expect(placed.levels[1]!.placements).toBeLessThan(everywhere.levels[1]!.placements)
    expect(outcomesOf(placed)).toEqual(outcomesOf(everywhere))
  })

  it('has other outcomes if the command took the key', async () => {
    const placed = await exploration('001-set-nx-delete', 2, request)
    const unplaced = await withPlaces('001-set-nx-delete', (nth) => nth > 1)
    expect(outcomesOf(unplaced)).not.toEqual(outcomesOf(placed))
  })
})

it('explores middleware, whose requests a process sends to itself', async () => {
  const bounds = { deliveries: 2, faults: 0, kinds: [] }
  const { found, levels } = await exploration('express-idempotency', 2, { bail: false, bounds })
  expect(levels).toMatchObject([{ complete: true }])
  expect(found.orders).toBeGreaterThan(1)
  expect(found.broke).toBeGreaterThan(0)
})

it('delays no message of a layer whose runs are long, and leaves out the faults', async () => {
  const { found, levels } = await exploration('repaired-lua-acquire', 2, { events: 300, undelayedFrom: 1 })
  expect(levels).toMatchObject([{ faults: 0, placementsPlayed: 1, orders: 1, complete: false }])
  expect(found).toMatchObject({ runs: 1, broke: 0 })
})

describe('an exploration with Sentinels', () => {
  const watched = {
    ...({ sentinels: true, scenarioPath: pathOf('scenario', 'redis-failover') } as const),
    scenarioName: 'redis-failover',
  }
  const failover = { deliveries: 2, kinds: ['machine-cut-off', 'redis-restart'] }

  it('plays as many orders without faults as with one server', async () => {
    const bounds = { ...failover, faults: 0 }
    const { found } = await exploration('000-lua-acquire', 2, { ...watched, bounds })
    expect(found).toMatchObject({ orders: 6, broke: 0, isCut: false })
    expect([...found.unknown]).toEqual([])
  })

  it('breaks a layer that does not wait for the replica, by two faults', async () => {
    const bounds = { ...failover, faults: 2 }
    const { found } = await exploration('002-check-and-set-nack-on-skip', 2, { ...watched, bounds })
    expect(found.broken).toMatchObject([{ invariant: 'at-most-once', kind: 'repeat-after-loss:failover' }])
    expect(found.broken[0]!.plan.faults.map(({ kind }) => kind)).toEqual(['machine-cut-off', 'redis-restart'])
  })

  it('breaks no order of the reference if the primary dies', async () => {
    const bounds = { ...failover, faults: 1, kinds: ['redis-restart'] }
    const { found } = await exploration('reference', 2, { ...watched, bounds })
    expect(found).toMatchObject({ broke: 0, isCut: false })
    expect(found.orders).toBeGreaterThan(100)
  })
})
