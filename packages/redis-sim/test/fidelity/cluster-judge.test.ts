import { beforeAll, describe, expect, it } from 'vitest'
import { judge, tolerance } from '../../fidelity/cluster/compare.ts'
import { SimulatedClusterTestBed } from '../../fidelity/cluster/simulated-test-bed.ts'
import { type ClusterObservation, reportCluster } from '../../fidelity/cluster/story.ts'

const port = 7000
const refusing = 'from the pause of two primaries until the third refuses'

describe('the comparison of a real Cluster with simulated ones', () => {
  let simulated: ClusterObservation[]
  let real: ClusterObservation
  beforeAll(async () => {
    simulated = []
    for (let seed = 0; seed < 20; seed++) simulated.push(await reportCluster(new SimulatedClusterTestBed(port, seed)))
    real = await reportCluster(new SimulatedClusterTestBed(port, 20))
  })
  const found = (changed: Partial<ClusterObservation>) => judge(simulated, { ...real, ...changed }).differences
  const least = () => Math.min(...simulated.map(({ times }) => times[refusing]!.mostMs))
  const most = () => Math.max(...simulated.map(({ times }) => times[refusing]!.mostMs))
  const taking = (leastMs: number, mostMs: number) =>
    found({ times: { ...real.times, [refusing]: { leastMs, mostMs } } })

  it('finds no difference if a simulated run takes the place of the real one', () => {
    expect(found({})).toEqual([])
  })

  it('finds a different reply', () => {
    const [asked] = Object.keys(real.replies)
    expect(found({ replies: { ...real.replies, [asked!]: '+OK\r\n' } })).toHaveLength(1)
  })

  it('finds a duration whose whole interval of uncertainty is outside the tolerance', () => {
    const tooFast = least() - tolerance.fasterMs - 1
    expect(taking(tooFast - 50, tooFast)).toHaveLength(1)
    expect(taking(tooFast - 50, tooFast + 1)).toEqual([])
    const tooSlow = most() + tolerance.slowerMs + 1
    expect(taking(tooSlow, tooSlow + 5000)).toHaveLength(1)
    expect(taking(tooSlow - 1, tooSlow + 5000)).toEqual([])
  })

  it('has simulated runs with different durations, because nodes ping at any moment within half the node timeout', () => {
    expect(least()).toBeLessThan(1150)
    expect(most()).toBeGreaterThan(1400)
  })
})
