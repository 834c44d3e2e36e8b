import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { decodeToken } from '../../src/campaign/token/token.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { type CliResult, temporaryFolder } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const naive = ['--impl', '001-get-set', '--scenario', 'competing-consumers', '--runs', '20', '--workers', '1', '--bail']

describe('the command run', () => {
  const cwd = temporaryFolder()
  let ran: CliResult
  beforeAll(async () => {
    ran = await onceproofHere([...naive, '--scenario', 'postgres-crash', '--seed', '7'], { cwd })
  })

  it('breaks the check-then-act layer, stops there with --bail, and exits with 1', () => {
    const text = fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8')
    const { pairs, control, seed, bounded, exitCode }: Results = JSON.parse(text)
    expect({ code: ran.code, exitCode, seed, bounded }).toEqual({ code: 1, exitCode: 1, seed: 7, bounded: 'runs' })
    expect(pairs).toMatchObject([{ implementation: '001-get-set', verdict: 'violated', runsRequested: 20 }])
    expect(pairs[0]!.runs).toBeLessThan(20)
    expect(control?.verdict).toBe('violated')
  })

  it('prints the seed first, a violation at once, and then its root cause with the replay command', () => {
    const { stdout } = ran
    const [seed, first, ...rest] = stdout.split('\n').filter((line) => !line.startsWith('… '))
    expect(seed).toBe('seed 7')
    expect(first).toMatch(
      /^violated {2}001-get-set × competing-consumers: at-most-once: duplicate \(seed 7, run \d+\)$/,
    )
    expect(rest).toContainEqual(expect.stringMatching(/^001-get-set × postgres-crash: skipped, tests PostgreSQL/))
    const end = stdout.slice(stdout.indexOf('\n 1  '))
    expect(end).toMatch(/^\n 1 {2}Two attempts look before either has written +\d+ runs?, /)
    expect(end).toMatch(
      /\n +\+1\.\d ms {2}.*\n[\s\S]*\n {4}Fix: .*\n {4}Code: .*\n {4}Replay: npx onceproof replay 1 {6}On real servers: npx onceproof replay-live 1 \(about 1 s\)\n/,
    )
    expect(end).toMatch(/\nchecked: the control broke as expected; .*\n1 pair: .*\nreport: .*\n$/)
  })

  it('draws the plans of its seed', async () => {
    const { pairs }: Results = JSON.parse(fs.readFileSync(path.join(cwd, 'reports/latest/results.json'), 'utf8'))
    const decoded = decodeToken(pairs[0]!.violations[0]!.token!)
    if (!decoded.ok) throw new Error(decoded.problem)
    const { seed, run, plan } = decoded.run
    const scenario = await loadScenario(path.resolve('scenarios/competing-consumers.ts'))
    const drawn = (from: number) => drawRun(scenario, from, run).value.value
    expect({ seed, plan }).toEqual({ seed: 7, plan: drawn(7) })
    expect(plan).not.toEqual(drawn(1))
  })

  it('prints the verdict and the replay command with --quiet', async () => {
    const { stdout } = await onceproofHere([...naive, '--quiet', '--no-html'])
    expect(stdout).toMatch(
      /^001-get-set: one effect happened twice \(1 of 1 scenario, .*\)\nreplay: npx onceproof replay op2_\S+\n1 pair: .*\n$/,
    )
  })
})
