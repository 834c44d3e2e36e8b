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
  it('prefers 3 to 1, 1 to 4, and 4 to 0', () => {
    const [ok, unknown, violated, error] = [pair('pass'), pair('unknown'), pair('violated'), pair('error')]
    expect(exitCodeOf([ok, unknown, violated, error], mustHold)).toBe(3)
    expect(exitCodeOf([ok, unknown, violated], mustHold)).toBe(1)
    expect(exitCodeOf([ok, unknown], mustHold)).toBe(4)
    expect(exitCodeOf([ok], mustHold)).toBe(0)
    expect(exitCodeOf([], mustHold)).toBe(0)
  })

  it('is 3 if the harness failed, and 130 if it was interrupted, whatever else happened', () => {
    expect(exitCodeOf([pair('violated')], mustHold, { harnessFailed: true })).toBe(3)
    expect(exitCodeOf([pair('violated')], mustHold, { harnessFailed: true, interrupted: true })).toBe(130)
  })
})

describe('the exit code of a matrix', () => {
  it('lets a layer that declares itself broken break, miss its goals, or hold', () => {
    for (const verdict of ['violated', 'unknown', 'pass'] as const)
      expect(exitCodeOf([pair(verdict, 'broken')], asDeclared)).toBe(0)
  })

  it('requires every other layer to hold', () => {
    expect(exitCodeOf([pair('violated', 'broken'), pair('violated')], asDeclared)).toBe(1)
    expect(exitCodeOf([pair('violated', 'broken'), pair('unknown')], asDeclared)).toBe(4)
  })

  it('is 4 if a broken layer uses an unsimulated feature, and 3 if it could not be judged', () => {
    expect(exitCodeOf([pair('violated', 'broken', ['FCALL'])], asDeclared)).toBe(4)
    expect(exitCodeOf([pair('error', 'broken')], asDeclared)).toBe(3)
  })
})

it('the exit code of a configuration search ignores violations, but not missing verdicts', () => {
  expect(exitCodeOf([pair('pass'), pair('violated')], mayBreak)).toBe(0)
  expect(exitCodeOf([pair('violated'), pair('unknown')], mayBreak)).toBe(4)
  expect(exitCodeOf([pair('unknown'), pair('error')], mayBreak)).toBe(3)
})

it('the exit code of canaries is 0 if each was caught or may live, else 3', () => {
  expect(exitCodeOf([canary('caught'), canary('lives')], asHunted)).toBe(0)
  for (const fate of ['survived', 'equivalent-kill', 'failed'] as const)
    expect(exitCodeOf([canary('caught'), canary(fate)], asHunted)).toBe(3)
  expect(exitCodeOf([canary('caught')], asHunted, { harnessFailed: true })).toBe(3)
})
