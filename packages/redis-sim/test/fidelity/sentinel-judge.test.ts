import { describe, expect, it } from 'vitest'
import { judge, tolerance } from '../../fidelity/sentinel/compare.ts'
import { type Observation, RareCourse } from '../../fidelity/sentinel/observe.ts'
import { SimulatedSentinelTestBed } from '../../fidelity/sentinel/simulated-test-bed.ts'
import { sentinelStories } from '../../fidelity/sentinel/stories.ts'

const simulate = async (name: string, seeds: readonly number[]) => {
  const story = sentinelStories.find((one) => one.name === name)!
  const observations: Observation[] = []
  for (const seed of seeds) {
    const testBed = new SimulatedSentinelTestBed(story.setting, seed)
    const reported = await story.report(testBed).catch((error) => {
      if (!(error instanceof RareCourse)) throw error
    })
    if (reported !== undefined) observations.push(reported)
  }
  return { story, observations }
}

describe('the comparison of real Sentinels with simulated ones', () => {
  it('finds no difference if a simulated run takes the place of the real one', async () => {
    for (const { name } of sentinelStories) {
      const { story, observations } = await simulate(name, [1, 2, 3, 4, 5])
      const [first, ...others] = observations as [Observation, ...Observation[]]
      const { differences } = judge(story, [...others, first], first)
      expect(differences).toEqual([])
    }
  })

  it('finds a different fact, a new or missing event, and a wrong time', async () => {
    const { story, observations } = await simulate('the primary dies', [1, 2, 3, 4])
    const [real] = observations as [Observation]
    const found = (changed: Partial<Observation>) => judge(story, observations, { ...real, ...changed }).differences
    const leader = real.facts.leader as string[]
    expect(
      found({ facts: { ...real.facts, leader: leader.filter((line) => !line.startsWith('+elected')) } }),
    ).toHaveLength(1)
    expect(found({ facts: { ...real.facts, role: 'slave' } })).toHaveLength(1)
    expect(found({ kinds: [...real.kinds, 'leader +invented'] })).toHaveLength(1)
    expect(found({ kinds: real.kinds.filter((kind) => kind !== 'leader +promoted-slave') })).toHaveLength(1)
    const slow = { ...real.times, 'to +sdown': real.times['to +sdown']! + tolerance.slowerMs + 200 }
    expect(found({ times: slow })).toHaveLength(1)
    const fast = { ...real.times, 'to +promoted-slave': real.times['to +promoted-slave']! - tolerance.fasterMs - 200 }
    expect(found({ times: fast })).toHaveLength(1)
  })
})
