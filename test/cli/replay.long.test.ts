import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeToken, encodeRun, type RecordedRun } from '../../src/campaign/token/token.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const pair = ['--impl', '001-get-set', '--scenario', 'competing-consumers']
let token: string
let run: RecordedRun

beforeAll(async () => {
  const { stdout } = await onceproofHere([...pair, '--runs', '20', '--bail', '--no-html', '--json', '--workers', '1'])
  const [violation] = JSON.parse(stdout).pairs[0].violations
  expect(violation.invariant).toBe('at-most-once')
  token = violation.token
  const decoded = decodeToken(token)
  if (!decoded.ok) throw new Error(decoded.problem)
  run = decoded.run
})

describe('replay', () => {
  it('follows a run, prints its story and its trace, and exits with 1 while it violates', async () => {
    const { code, stdout } = await onceproofHere(['replay', token, '--trace'])
    expect(code).toBe(1)
    expect(stdout).toContain('violated: at-most-once')
    expect(stdout).toMatch(/ command {2}.*get idempotency:/)
    expect(stdout).toContain(`followed: all ${run.stepCount} steps`)
  })

  it('gives the usual results with --json, with how far it followed', async () => {
    const { stdout, code } = await onceproofHere(['replay', token, '--json'])
    const { pairs, followed, exitCode } = JSON.parse(stdout)
    expect({ code, exitCode }).toEqual({ code: 1, exitCode: 1 })
    expect(followed).toEqual({ n: run.stepCount, of: run.stepCount, leftAt: null })
    expect(pairs[0].violations[0]).toMatchObject({
      ...{ token, seed: run.seed, run: run.run, invariant: 'at-most-once' },
      ...{ shrunk: false, asPlayed: true },
    })
  })

  it('prints the cause, on the terminal and as JSON', async () => {
    const [text, json] = [await onceproofHere(['replay', token]), await onceproofHere(['replay', token, '--json'])]
    const { why } = JSON.parse(json.stdout).pairs[0].violations[0]
    expect(why).toMatch(/looked \(GET\)/)
    expect(text.stdout).toContain(`\nwhy: ${why}\n`)
  })

  it('writes the run as a page with its picture, without an effect on the run', async () => {
    const cwd = temporaryFolder()
    const plain = await onceproofHere(['replay', token])
    expect(await onceproofHere(['replay', token, '--html', 'out/run.html'], { cwd })).toEqual(plain)
    const page = fs.readFileSync(path.join(cwd, 'out/run.html'), 'utf8')
    expect(page.match(/<div class="picture">/g)).toHaveLength(1)
    expect(page).toMatch(/<p class="why">[^<]*looked \(GET\)/)
    expect(/[Ss]hrunk|as they were drawn|results\.json/.exec(page)).toBeNull()
    await onceproofHere(['replay', token, '--html', 'again.html'], { cwd })
    expect(fs.readFileSync(path.join(cwd, 'again.html'), 'utf8')).toBe(page)
    const { code, stderr } = await onceproofHere(['replay', token, '--html', 'out/run.html/x.html'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^onceproof: --html out\/run\.html\/x\.html: /),
    })
  })

  it('draws a run that holds as well', async () => {
    const cwd = temporaryFolder()
    const address = ['--run', '0', '--impl', 'reference', '--scenario', 'lost-reply']
    const { code } = await onceproofHere(['replay', ...address, '--html', 'held.html'], { cwd })
    const page = fs.readFileSync(path.join(cwd, 'held.html'), 'utf8')
    expect(code).toBe(0)
    expect(page).toContain('The run that was replayed')
    expect(page.match(/<div class="picture">/g)).toHaveLength(1)
  })

  it('finds a run by seed and number, in a file, and in the corpus', async () => {
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun(run))
    const address = ['--seed', String(run.seed), '--run', String(run.run), ...pair]
    expect((await onceproofHere(['replay', ...address], { cwd })).code).toBe(1)
    expect((await onceproofHere(['replay', 'run.json'], { cwd })).code).toBe(1)
    expect((await onceproofHere(['corpus', 'add', token], { cwd })).code).toBe(0)
    const [name] = fs.readdirSync(path.join(cwd, 'scenarios/corpus'))
    expect((await onceproofHere(['replay', `scenarios/corpus/${name}`], { cwd })).code).toBe(1)
  })

  it('accepts a layer of any path as that of the token, and reports changed files', async () => {
    const handle = 'async ({ key, payload }) => ({ status: "done", result: await sink.perform({ key, payload }) })'
    const source = `export default { id: 'mine', create: ({ sink }) => ({ handle: ${handle} }) }\n`
    const [here, there] = [temporaryFolder(), temporaryFolder()]
    write(here, 'mine/layer.ts', source)
    write(there, 'copied.ts', source)
    const drawn = ['--run', String(run.run), '--scenario', run.scenario, '--json']
    const made = await onceproofHere(['replay', ...drawn, '--impl', 'mine/layer.ts'], { cwd: here })
    const own = JSON.parse(made.stdout).pairs[0].violations[0].token
    const again = () => onceproofHere(['replay', own, '--impl', 'copied.ts'], { cwd: there })
    expect(await again()).toMatchObject({ code: 1, stdout: expect.stringMatching(/followed: all \d+ steps/) })
    write(there, 'copied.ts', source.replace('await sink.perform({ key, payload })', 'null'))
    expect((await again()).stdout).toContain('the files of the layer changed since the token was made')
  })

  it('exits with 4 if the run leaves its path and holds', async () => {
    const calm = { ...run, plan: { ...run.plan, messages: run.plan.messages.slice(0, 1), faults: [] } }
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun(calm))
    const { code, stdout } = await onceproofHere(['replay', 'run.json'], { cwd })
    expect(stdout).toMatch(/diverged: \d+ of \d+ steps; (diverged at|ended after) /)
    expect(stdout).toContain('a package of the layer or onceproof changed since the token was made')
    expect(code).toBe(4)
  })

  it('exits with 4 if the plan has an unknown fault', async () => {
    const fault = { kind: 'meteor', when: { at: 'time', ms: 1 } } as const
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun({ ...run, plan: { ...run.plan, faults: [fault] } }))
    const { code, stdout } = await onceproofHere(['replay', 'run.json'], { cwd })
    expect(stdout).toContain('diverged: this version does not know the fault meteor')
    expect(code).toBe(4)
  })

  it('prints the logs of processes with virtual time and name', async () => {
    const cwd = temporaryFolder()
    const handle = `handle: async (m) => { console.log('got', m.key); return { status: 'retry' } }`
    write(cwd, 'talks.ts', `export default { id: 'talks', create: () => ({ ${handle} }) }\n`)
    const args = ['replay', '--run', '0', '--impl', './talks.ts', '--scenario', 'competing-consumers']
    expect((await onceproofHere(args, { cwd })).stdout).toMatch(/^\d+\.\d ms {2}consumer-\d {2}got order-1$/m)
  })
})

describe('corpus add', () => {
  it('keeps a failure, which the next campaign of the pair replays first', async () => {
    const cwd = temporaryFolder()
    const quiet = [...pair, '--runs', '1', '--bail', '--json', '--no-html', '--workers', '1', '--seed', '5']
    await onceproofHere(['corpus', 'add', token], { cwd })
    const { stdout } = await onceproofHere(quiet, { cwd })
    const { pairs } = JSON.parse(stdout)
    expect(pairs[0].runs).toBe(1)
    expect(pairs[0].violations.map((violation: { token: string }) => violation.token)).toContain(token)
  })

  it('adds nothing twice', async () => {
    const cwd = temporaryFolder()
    await onceproofHere(['corpus', 'add', token], { cwd })
    expect((await onceproofHere(['corpus', 'add', token], { cwd })).stdout).toMatch(/^kept before: /)
    expect(fs.readdirSync(path.join(cwd, 'scenarios/corpus'))).toHaveLength(1)
  })
})
