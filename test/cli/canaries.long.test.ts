import { describe, expect, it } from 'vitest'
import { kindsWithoutCanary } from '../../src/campaign/conduct/check-canaries.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { selectCanaries } from '../../src/cli/select.ts'
import type { CanaryResults } from '../../src/contract/api/canary.ts'
import { faults } from '../../src/run/faults/index.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const alone = ['--workers', '1', '--json']

function resultsOf(stdout: string): CanaryResults {
  return JSON.parse(stdout)
}

/** A mutant of the reference in a separate file. */
function mutant(
  patches: readonly object[],
  killedBy: readonly string[] = [],
  scenario = 'competing-consumers',
): { cwd: string; file: string } {
  const cwd = temporaryFolder()
  const hunt = { killedBy, scenarios: [scenario] }
  const text = JSON.stringify({ id: 'canary-mine', about: 'mine', patches, hunt })
  write(cwd, 'canary-mine.ts', `export default ${text}\n`)
  return { cwd, file: './canary-mine.ts' }
}

const forgetsResults = { file: 'lua/complete.lua', find: "'result', ARGV[2])", replace: "'result', 'null')" }

describe('canaries', () => {
  it('include one for each kind of fault that nothing else reveals', async () => {
    const all = await selectCanaries(
      undefined,
      createDeps(() => false),
    )
    expect(kindsWithoutCanary(faults.keys(), all)).toEqual([])
  })

  it('are caught, with a token that replays the run', async () => {
    const only = ['--only', 'canary-result-not-stored', '--only', 'canary-lease-never-ends']
    const { code, stdout } = await onceproofHere(['canaries', ...only, ...alone, '--runs', '400'])
    const { canaries, exitCode, medianRuns } = resultsOf(stdout)
    expect({ code, exitCode }).toEqual({ code: 0, exitCode: 0 })
    expect(canaries.map(({ id, fate }) => [id, fate])).toEqual([
      ['canary-result-not-stored', 'caught'],
      ['canary-lease-never-ends', 'caught'],
    ])
    expect(medianRuns).toBe(Math.max(...canaries.map(({ runs }) => runs)))
    for (const { caught } of canaries) {
      const replayed = await onceproofHere(['replay', caught!.token!, '--json'])
      expect(replayed.code).toBe(1)
      const { followed, pairs } = JSON.parse(replayed.stdout)
      expect(followed.leftAt).toBeNull()
      expect(pairs[0].violations).toContainEqual(
        expect.objectContaining({ invariant: caught!.invariant, kind: caught!.kind }),
      )
    }
  })

  it('are reported with the faults of the run, and with --shrink only with the needed ones', async () => {
    const only = ['--only', 'canary-begin-for-anybody', '--workers', '1']
    const drawn = await onceproofHere(['canaries', ...only])
    expect(drawn.stdout).toContain('zombie under slow-lock-holder, with duplicate-delivery, pause, slow-effect\n')
    const shrunk = await onceproofHere(['canaries', ...only, '--shrink'])
    expect(shrunk.stdout).toContain('zombie under slow-lock-holder, by pause\n')
    const token = /^replay: .* (op2_\S+)/m.exec(shrunk.stdout)![1]!
    expect((await onceproofHere(['replay', token])).code).toBe(1)
  })

  it('exit with 3 for a survivor: the unchanged reference', async () => {
    const { cwd, file } = mutant([])
    const { code, stdout } = await onceproofHere(['canaries', '--only', file, ...alone, '--runs', '60'], { cwd })
    expect(code).toBe(3)
    expect(resultsOf(stdout).canaries[0]).toMatchObject({ fate: 'survived', runs: 60, caught: null })
  })

  it('exit with 3 for a survivor: the reference with a declaration about messages without a key', async () => {
    const file = 'implementations/reference/reference.ts'
    const refuses = { file, find: "expect: 'holds',", replace: "expect: 'holds', withoutKey: 'refuses'," }
    const { cwd, file: itself } = mutant([refuses], [], 'messages-without-key')
    const { code, stdout } = await onceproofHere(['canaries', '--only', itself, ...alone, '--runs', '60'], { cwd })
    expect(code).toBe(3)
    expect(resultsOf(stdout).canaries[0]).toMatchObject({ fate: 'survived', runs: 60, failure: null })
  })

  it('exit with 3 for a patch that no longer fits, which is reported', async () => {
    const { cwd, file } = mutant([{ ...forgetsResults, find: 'no such line' }])
    const { code, stdout } = await onceproofHere(['canaries', '--only', file, '--workers', '1'], { cwd })
    expect(code).toBe(3)
    expect(stdout).toContain('canary-mine no longer matches lua/complete.lua: it has "no such line" 0 times')
  })

  it('may live if only one kind of fault reveals them and it is switched off', async () => {
    const only = ['--only', 'canary-only-effect-fails-after', '--runs', '80']
    const { code, stdout } = await onceproofHere(['canaries', ...only, '--without', 'effect-fails-after', ...alone])
    expect(code).toBe(0)
    expect(resultsOf(stdout).canaries[0]).toMatchObject({ fate: 'lives', runs: 80 })
    const both = await onceproofHere(['canaries', ...only, '--per-fault', ...alone])
    expect(both.code).toBe(0)
    expect(resultsOf(both.stdout).canaries.map(({ fate }) => fate)).toEqual(['caught', 'lives'])
  })

  it('exit with 3 for a canary that another fault kills', async () => {
    const { cwd, file } = mutant([forgetsResults], ['pause'])
    const args = ['canaries', '--only', file, '--without', 'pause', '--runs', '60', ...alone]
    const { code, stdout } = await onceproofHere(args, { cwd })
    expect(code).toBe(3)
    expect(resultsOf(stdout).canaries[0]!.fate).toBe('equivalent-kill')
  })
})
