import { describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import type { StandIn } from './stand-in.ts'

/** Returns which of two replicas is promoted, after `prepare` changed their INFO. */
function promoted(prepare: (first: StandIn, second: StandIn, deployment: Deployment) => void): string {
  const deployment = Deployment.settled({ standIns: true })
  const [first, second] = [deployment.standIn(1), deployment.standIn(2)]
  prepare(first, second, deployment)
  deployment.lab.pass(12_000)
  deployment.servers[0]!.die()
  deployment.lab.until(
    () => deployment.heard.some(({ type }) => /^(\+switch-master|-failover-abort)/.test(type)),
    20_000,
  )
  const { type, message } = deployment.heard.find(({ type }) => /^(\+selected-slave|-failover-abort)/.test(type))!
  if (type !== '+selected-slave') return type
  return message.startsWith('slave 10.0.0.2') ? 'first' : 'second'
}

describe('the replica to promote', () => {
  it('is the replica with the lower priority number, even if it has less data', () => {
    expect(promoted((first, second) => Object.assign(first, { priority: 10, offset: 1 }) && second)).toBe('first')
    expect(promoted((first, second) => Object.assign(second, { priority: 10, offset: 1 }) && first)).toBe('second')
  })

  it('is the replica with more data if the priorities are equal', () => {
    expect(promoted((first) => void (first.offset = 1001))).toBe('first')
    expect(promoted((_, second) => void (second.offset = 1001))).toBe('second')
  })

  it('is the replica with the smaller run id if priorities and offsets are equal', () => {
    let expected = ''
    const chosen = promoted((first, second) => void (expected = first.runId < second.runId ? 'first' : 'second'))
    expect(chosen).toBe(expected)
  })

  it('never has priority 0', () => {
    expect(promoted((first) => Object.assign(first, { priority: 0, offset: 9999 }))).toBe('second')
    expect(promoted((first, second) => void (first.priority = second.priority = 0))).toBe(
      '-failover-abort-no-good-slave',
    )
  })

  it('was not cut off from its primary for longer than ten times down-after', () => {
    expect(promoted((first) => Object.assign(first, { linkDownSeconds: 60, offset: 9999 }))).toBe('second')
    expect(promoted((first) => Object.assign(first, { linkDownSeconds: 9, offset: 9999 }))).toBe('first')
  })

  it('is not down', () => {
    const dies = promoted((first, _, deployment) => {
      first.offset = 9999
      // The replica dies after its last INFO, so that the Sentinels know its offset.
      deployment.lab.at(11_000_000, () => deployment.servers[1]!.die())
    })
    expect(dies).toBe('second')
  })
})
