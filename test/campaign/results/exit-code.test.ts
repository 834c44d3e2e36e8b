import { describe, expect, it } from 'vitest'
import { asDeclared, asHunted, exitCodeOf, mayBreak, mustHold } from '../../../src/campaign/results/exit-code.ts'
import type { CanaryFate } from '../../../src/contract/api/canary.ts'
import type { PairVerdict } from '../../../src/contract/results/results.ts'

const pair = (verdict: PairVerdict, expect: 'holds' | 'broken' = 'holds', unsupportedCommands: string[] = []) => ({
  verdict,
  expect,
  unsupportedCommands,
})
const canary = (fate: CanaryFate) => ({ fate })

describe('the exit code of a campaign', () => {
  it('takes 3 before 1, 1 before 4, and 4 before 0', () => {
    const [ok, unknown, violated, error] = [pair('pass'), pair('unknown'), pair('violated'), pair('error')]
    expect(exitCodeOf([ok, unknown, violated, error], mustHold)).toBe(3)
    expect(exitCodeOf([ok, unknown, violated], mustHold)).toBe(1)
    expect(exitCodeOf([ok, unknown], mustHold)).toBe(4)
    expect(exitCodeOf([ok], mustHold)).toBe(0)
    expect(exitCodeOf([], mustHold)).toBe(0)
  })

  it('is 3 where the harness failed, whatever broke, and 130 where it was interrupted, whatever else', () => {
    expect(exitCodeOf([pair('violated')], mustHold, { harnessFailed: true })).toBe(3)
    expect(exitCodeOf([pair('violated')], mustHold, { harnessFailed: true, interrupted: true })).toBe(130)
  })
})

describe('the exit code of a matrix', () => {
  it('lets a layer that declares itself broken break, miss its goals, or hold in a cell', () => {
    for (const verdict of ['violated', 'unknown', 'pass'] as const)
      expect(exitCodeOf([pair(verdict, 'broken')], asDeclared)).toBe(0)
  })

  it('asks of every other layer that it holds', () => {
    expect(exitCodeOf([pair('violated', 'broken'), pair('violated')], asDeclared)).toBe(1)
    expect(exitCodeOf([pair('violated', 'broken'), pair('unknown')], asDeclared)).toBe(4)
  })

  it('is 4 where a broken layer uses commands that are not simulated, and 3 where it could not be judged', () => {
    expect(exitCodeOf([pair('violated', 'broken', ['FCALL'])], asDeclared)).toBe(4)
    expect(exitCodeOf([pair('error', 'broken')], asDeclared)).toBe(3)
  })
})

it('the exit code of a configuration search does not mind cells that break, but those without a verdict', () => {
  expect(exitCodeOf([pair('pass'), pair('violated')], mayBreak)).toBe(0)
  expect(exitCodeOf([pair('violated'), pair('unknown')], mayBreak)).toBe(4)
  expect(exitCodeOf([pair('unknown'), pair('error')], mayBreak)).toBe(3)
})

it('the exit code of canaries is 0 where each was caught or lives as it must, else 3', () => {
  expect(exitCodeOf([canary('caught'), canary('lives')], asHunted)).toBe(0)
  for (const fate of ['survived', 'equivalent-kill', 'failed'] as const)
    expect(exitCodeOf([canary('caught'), canary(fate)], asHunted)).toBe(3)
  expect(exitCodeOf([canary('caught')], asHunted, { harnessFailed: true })).toBe(3)
})
