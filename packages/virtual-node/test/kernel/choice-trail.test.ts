import { describe, expect, it } from 'vitest'
import { ChoiceTrail, isStep, marksOf } from '../../src/kernel/choice-trail.ts'

/** The trail of a run with these choices. */
function trailOf(...chosen: readonly number[]): ChoiceTrail {
  const trail = new ChoiceTrail()
  for (const one of chosen) trail.add(1, one, true)
  return trail
}

const upTo = (length: number) => Array.from({ length }, (_, at) => at * 7)

describe('a trail of choices', () => {
  it('shares all its steps with a run of the same choices', () => {
    expect(trailOf(...upTo(31)).followed(trailOf(...upTo(31)).text, 31)).toBe(31)
  })

  it('shares only the steps before the first different choice or name with another run', () => {
    const recorded = trailOf(...upTo(31)).text
    const other = upTo(31)
    other[27] = 3
    expect(trailOf(...other).followed(recorded, 31)).toBe(27)
    const renamed = new ChoiceTrail()
    for (const [at, one] of upTo(31).entries()) renamed.add(at === 12 ? 2 : 1, one, true)
    expect(renamed.followed(recorded, 31)).toBe(12)
  })

  it('shares all steps of the shorter run with a run that ended earlier or continues longer', () => {
    expect(trailOf(...upTo(20)).followed(trailOf(...upTo(31)).text, 31)).toBe(20)
    const longer = trailOf(...upTo(40))
    expect(longer.followed(trailOf(...upTo(31)).text, 31)).toBe(31)
    expect(longer).toHaveLength(40)
  })

  it('has one mark for several steps if there are many steps, and one mark for the last step', () => {
    const trail = trailOf(...upTo(500))
    expect(trail.text).toHaveLength(marksOf(500))
    expect(trail.text).toHaveLength(125)
    expect(trailOf(...upTo(501)).text).toHaveLength(marksOf(501))
    const other = upTo(500)
    other[401] = 3
    expect(trailOf(...other).followed(trail.text, 500)).toBe(400)
    expect(trailOf(...upTo(402)).followed(trail.text, 500)).toBe(400)
  })

  it('depends on choices that are not steps', () => {
    const [one, other] = [new ChoiceTrail(), new ChoiceTrail()]
    one.add(5, 0, false)
    other.add(5, 2, false)
    for (const trail of [one, other]) trail.add(1, 0, true)
    expect(other.followed(one.text, 1)).toBe(0)
  })

  it.each([
    ['consumer-1~redis>', 'GET', true],
    ['consumer-1~redis>', 'handshake', false],
    ['broker', null, true],
    ['poison', null, true],
    ['redis-1~redis-2>', null, false],
  ])('counts a choice of %s about %s as a step: %s', (stream, about, expected) => {
    expect(isStep(stream, about)).toBe(expected)
  })
})
