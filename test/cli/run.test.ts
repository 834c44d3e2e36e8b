import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeToken } from '../../src/campaign/token.ts'
import type { Plan } from '../../src/contract/plan.ts'
import type { Results } from '../../src/contract/results.ts'
import { type CliResult, onceproof, temporaryFolder, write } from './run-cli.ts'
import { refusal } from './run-here.ts'
import { inTurn } from './run-in-turn.ts'

/** Of three chunks, so that there is work for two. */
const naive = ['--impl', '001-get-set', '--scenario', 'competing-consumers', '--runs', '41']

function results(stdout: string): Results {
  return JSON.parse(stdout)
}

/** What must not depend on where, when and by how many a campaign was run. */
function lasting(stdout: string): Omit<Results, 'timings'> {
  const { timings: _, ...rest } = results(stdout)
  return rest
}

function planOf(token: string): Plan {
  const decoded = decodeToken(token)
  if (!decoded.ok) throw new Error(decoded.problem)
  return decoded.run.plan
}

describe('run', () => {
  let alone: CliResult
  beforeAll(async () => {
    const env = { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8' }
    alone = await onceproof([...naive, '--json', '--workers', '1'], { env })
  })

  it('breaks the check-then-act layer, and exits 1', () => {
    expect(alone.code).toBe(1)
    const { pairs, control, seed, bounded } = results(alone.stdout)
    expect({ seed, bounded }).toEqual({ seed: 1, bounded: 'runs' })
    expect(pairs).toHaveLength(1)
    expect(pairs[0]).toMatchObject({
      implementation: '001-get-set',
      verdict: 'violated',
      runs: 41,
      runsRequested: 41,
    })
    expect(control?.verdict).toBe('violated')
  })

  it('gives results that nothing around them changes', async () => {
    const together = await onceproof([...naive, '--json', '--workers', '2'], { env: { TZ: 'UTC', LANG: 'C' } })
    expect(lasting(together.stdout)).toEqual(lasting(alone.stdout))
  })

  it('stops at the first violation with --bail, which is another for another seed', async () => {
    const bailed = async (seed: string) => {
      const { stdout } = await inTurn([...naive, '--bail', '--no-html', '--json', '--workers', '1', '--seed', seed])
      return results(stdout).pairs[0]!
    }
    const pairs = [await bailed('1'), await bailed('2')]
    for (const { runs } of pairs) expect(runs).toBeLessThan(41)
    const [one, other] = pairs.map(({ violations }) => planOf(violations[0]!.token!))
    expect(other).not.toEqual(one)
  })

  it('prints the seed first, the violation at once, and ends with its story and the command that replays it', async () => {
    const unusable = ['--scenario', 'postgres-crash']
    const { stdout } = await inTurn([...naive, ...unusable, '--runs', '20', '--seed', '7', '--workers', '1'])
    const [seed, first, ...rest] = stdout.split('\n').filter((line) => !line.startsWith('… '))
    expect(seed).toBe('seed 7')
    expect(first).toMatch(/^violated {2}001-get-set × competing-consumers: .*; replay: npx onceproof replay op2_\S+$/)
    expect(rest).toContainEqual(
      expect.stringMatching(/^001-get-set × postgres-crash: n\/a, for it is about PostgreSQL/),
    )
    const end = stdout.slice(stdout.indexOf('\ncontrol: '))
    expect(end).toContain('001-get-set broke, as it must')
    expect(end).toMatch(
      /at-most-once: duplicate[\s\S]*\n +\d+\.\d ms .*\n[\s\S]*\nreplay: npx onceproof replay op2_\S+\n1 pair: .*\nreport: .*\n$/,
    )
  })

  it('prints only the verdict and the command that replays it with --quiet', async () => {
    const { stdout } = await inTurn([...naive, '--runs', '20', '--seed', '7', '--workers', '1', '--quiet', '--bail'])
    expect(stdout).toMatch(
      /^001-get-set: one effect happened twice; violated in 1 of 1 scenario, .*\nreplay: npx onceproof replay op2_\S+\n1 pair: .*\n$/,
    )
  })

  it('cannot be quiet and verbose', async () => {
    const { code, stderr } = await refusal([...naive, '--quiet', '--verbose'])
    expect(code).toBe(2)
    expect(stderr).toContain('--quiet and --verbose')
  })

  it('takes a time in place of a number of runs', async () => {
    const { stdout } = await onceproof([
      '--impl',
      'canary-parks-everything',
      '--scenario',
      'lost-reply',
      '--time',
      '1s',
      '--json',
    ])
    const { bounded, pairs } = results(stdout)
    expect(bounded).toBe('time')
    expect(pairs[0]!.runs).toBe(pairs[0]!.runsRequested)
    expect(pairs[0]!.runs).toBeGreaterThan(0)
  })

  it('ends cleanly with what it found when it is interrupted', async () => {
    const args = [...naive, '--runs', '1000000', '--workers', '2', '--reports', 'here']
    const cwd = temporaryFolder()
    const { code, stdout } = await onceproof(args, { cwd, interruptAt: '× competing-consumers' })
    expect(code).toBe(130)
    expect(stdout).toContain('stopping after the current run')
    const written: Results = JSON.parse(fs.readFileSync(path.join(cwd, 'here/latest/results.json'), 'utf8'))
    expect(written).toMatchObject({ interrupted: true, exitCode: 130 })
    expect(written.pairs[0]!.runs).toBeGreaterThan(0)
    expect(written.pairs[0]!.runs).toBeLessThan(1_000_000)
  })

  it('keeps standard output to itself under --json, whatever an adapter writes', async () => {
    const cwd = temporaryFolder()
    write(
      cwd,
      'loud.ts',
      `console.log('loud: loading')
process.stdout.write('loud: raw\\n')
export default {
  id: 'loud',
  create: () => ({
    handle: async () => {
      console.log('loud: handling')
      return { status: 'retry' }
    },
  }),
}
`,
    )
    for (const workers of ['1', '2']) {
      const args = ['--impl', './loud.ts', '--scenario', 'lost-reply', '--runs', '21', '--json', '--workers', workers]
      const { stdout } = await onceproof(args, { cwd })
      expect(results(stdout).pairs[0]!.implementation).toBe('loud')
    }
  })
})
