/**
 * The views of Cluster nodes, and the questions and choices of their clients, as recorded in a
 * schedule.
 */

import { install } from 'virtual-node/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { planned, clustered as redis } from '../../campaign/replay-live/recorded.ts'
import { expectUnchanged, scheduled } from './schedule-lab.ts'

const death = planned('redis-restart', { at: 'time', ms: 200 }, { healAfterMs: 9000 })
const copy = planned('duplicate-delivery', { at: 'time', ms: 5000 }, { message: 0 })

beforeAll(install)

const played = (...faults: PlannedFault[]) => scheduled('002-check-and-set', 'cluster', redis, ...faults)

describe('the schedule of a run on a Cluster', () => {
  it('has the view of each node from the beginning', async () => {
    const { schedule } = await played()
    expect(schedule.known!.map(({ server, view }) => `${server} ${view.state}`).sort()).toEqual(
      ['1a', '1b', '2a', '2b', '3a', '3b'].map((suffix) => `redis-${suffix} ok`),
    )
  })

  it('has the moments when each node considers a primary dead, and when it knows the successor', async () => {
    const { names } = await played(death, copy)
    const promoted = names.indexOf('redis-3b promoted')
    const of = (server: string) =>
      names.flatMap((name, at) => (name.startsWith(`${server} knows`) ? [{ name, at }] : []))
    for (const server of ['redis-1a', 'redis-1b', 'redis-2a', 'redis-2b']) {
      const dead = of(server).find(({ name }) => name.endsWith(' failing redis-3a'))
      const knows = of(server).find(({ name }) => name.includes(' redis-3b'))
      expect(dead!.name).toContain(' knows fail ')
      expect([dead!.at < promoted, knows!.at > promoted]).toEqual([true, true])
    }
  })

  it('has the node that answers each question of its clients, and when the answer arrives', async () => {
    const { names } = await played()
    const asks = names.findIndex((name) => /^consumer-1 asks redis-\d\w cluster-slots$/.test(name))
    expect(names.indexOf(names[asks]!.replace('asks', 'hears'))).toBeGreaterThan(asks)
    expect(names.some((name) => /^consumer-1 handshake-answered redis-\d\w 1$/.test(name))).toBe(true)
  })

  it('has the moments when a process notices that a node is gone, and that nothing listens there', async () => {
    const meanwhile = planned('duplicate-delivery', { at: 'time', ms: 400 }, { message: 0 })
    const { schedule, names } = await played(death, meanwhile)
    const at = (name: string) => schedule.steps[names.indexOf(name)]?.atUs
    const diedUs = schedule.steps[0]!.atUs + 200_000
    expect(at('consumer-1 disconnected redis-3a 1')).toBe(diedUs)
    expect(at('consumer-1 refused redis-3a 2')).toBeGreaterThan(diedUs)
  })

  it('has no end of a connection caused by a paused node', async () => {
    const still = planned('slow-redis', { at: 'time', ms: 0 }, { healAfterMs: 8000 })
    const { schedule, names } = await played(still)
    const ended = schedule.steps.filter((_, at) => names[at]!.startsWith('consumer-1 disconnected redis-1a'))
    expect(ended.map(({ atUs }) => atUs - schedule.steps[0]!.atUs >= 8_000_000)).toEqual(ended.map(() => true))
  })

  it('has the node of the last write before the run begins if a layer is deployed', async () => {
    expect((await played()).schedule.deployedTo).toBeUndefined()
    const { schedule } = await scheduled('../reference/reference', 'cluster', redis)
    expect(schedule.deployedTo).toMatch(/^redis-\da$/)
  })

  it('has the choices by which a client chose the node', async () => {
    const { schedule } = await played()
    const [first] = schedule.chances!['consumer-1']!
    expect(first).toBeGreaterThanOrEqual(0)
    expect(first).toBeLessThan(1)
  })

  it('does not change the digest of the run', async () => {
    await expectUnchanged(await played(death, copy))
  })
})
