import { describe, expect, it } from 'vitest'
import { ClusterNode } from '../../src/cluster/cluster-node.ts'
import { SlotMap } from '../../src/cluster/slot-map.ts'

function twoNodes() {
  const [a, b] = [0, 1].map((index) => new ClusterNode(String(index), '10.0.0.1', 6379 + index, index)) as [
    ClusterNode,
    ClusterNode,
  ]
  const slots = new SlotMap([a, b])
  slots.giveFirst([0, 9], a)
  return { a, b, slots }
}

describe('a slot map with a cached answer', () => {
  it('updates the answer after a slot has moved', () => {
    const { a, b, slots } = twoNodes()
    expect([slots.text(a), slots.text(b), slots.ranges().length]).toEqual(['0-9', '', 1])
    slots.give(4, b)
    expect([slots.text(a), slots.text(b), slots.ranges().length]).toEqual(['0-3,5-9', '4', 3])
  })

  it('updates an answer that was empty', () => {
    const { b, slots } = twoNodes()
    expect(slots.text(b)).toBe('')
    slots.give(4, b)
    expect(slots.text(b)).toBe('4')
  })

  it('updates the answer when a node loses all slots', () => {
    const { a, slots } = twoNodes()
    expect(slots.ranges()).toHaveLength(1)
    slots.takeAll(a)
    expect([slots.text(a), slots.ranges().length]).toEqual(['', 0])
  })
})
