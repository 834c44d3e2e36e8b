import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeToken, encodeRun, type RecordedRun } from '../../src/campaign/token.ts'
import { onceproof, temporaryFolder, write } from './run-cli.ts'
import { inTurn } from './run-in-turn.ts'

const pair = ['--impl', '001-get-set', '--scenario', 'competing-consumers']
let token: string
let run: RecordedRun

beforeAll(async () => {
  const { stdout } = await inTurn([...pair, '--runs', '20', '--bail', '--no-html', '--json', '--workers', '1'])
  const [violation] = JSON.parse(stdout).pairs[0].violations
  expect(violation.invariant).toBe('at-most-once')
  token = violation.token
  const decoded = decodeToken(token)
  if (!decoded.ok) throw new Error(decoded.problem)
  run = decoded.run
})

describe('replay', () => {
  it('repeats a run byte for byte in another process, tells its story, and exits 1 while it violates', async () => {
    const one = await onceproof(['replay', token, '--trace'], { env: { TZ: 'Asia/Tokyo' } })
    const other = await onceproof(['replay', token, '--trace'], { env: { TZ: 'UTC', LANG: 'C' } })
    expect(one.code).toBe(1)
    expect(one.stdout).toBe(other.stdout)
    expect(one.stdout).toContain('violated: at-most-once')
    expect(one.stdout).toMatch(/ command {2}.*get idempotency:/)
    expect(one.stdout).toContain(`followed: all ${run.stepCount} steps`)
  })

  it('gives results of the same shape under --json, with how far it followed', async () => {
    const { stdout, code } = await inTurn(['replay', token, '--json'])
    const { pairs, followed, exitCode } = JSON.parse(stdout)
    expect({ code, exitCode }).toEqual({ code: 1, exitCode: 1 })
    expect(followed).toEqual({ n: run.stepCount, of: run.stepCount, leftAt: null })
    expect(pairs[0].violations[0]).toMatchObject({
      ...{ token, seed: run.seed, run: run.run, invariant: 'at-most-once' },
      ...{ shrunk: false, asPlayed: true },
    })
  })

  it('says why it broke, on the terminal and as JSON', async () => {
    const [text, json] = [await inTurn(['replay', token]), await inTurn(['replay', token, '--json'])]
    const { why } = JSON.parse(json.stdout).pairs[0].violations[0]
    expect(why).toMatch(/looked \(GET\)/)
    expect(text.stdout).toContain(`\nwhy: ${why}\n`)
  })

  it('writes the run as a page with its picture, and is the run that it is without', async () => {
    const cwd = temporaryFolder()
    const plain = await inTurn(['replay', token])
    expect(await inTurn(['replay', token, '--html', 'out/run.html'], { cwd })).toEqual(plain)
    const page = fs.readFileSync(path.join(cwd, 'out/run.html'), 'utf8')
    expect(page.match(/<div class="picture">/g)).toHaveLength(1)
    expect(page).toMatch(/<p class="why">[^<]*looked \(GET\)/)
    expect(/[Ss]hrunk|as they were drawn|results\.json/.exec(page)).toBeNull()
    await inTurn(['replay', token, '--html', 'again.html'], { cwd })
    expect(fs.readFileSync(path.join(cwd, 'again.html'), 'utf8')).toBe(page)
    const { code, stderr } = await inTurn(['replay', token, '--html', 'out/run.html/x.html'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^onceproof: --html out\/run\.html\/x\.html: /),
    })
  })

  it('draws a run that holds, too', async () => {
    const cwd = temporaryFolder()
    const address = ['--run', '0', '--impl', 'reference', '--scenario', 'lost-reply']
    const { code } = await inTurn(['replay', ...address, '--html', 'held.html'], { cwd })
    const page = fs.readFileSync(path.join(cwd, 'held.html'), 'utf8')
    expect(code).toBe(0)
    expect(page).toContain('The run that was replayed')
    expect(page.match(/<div class="picture">/g)).toHaveLength(1)
  })

  it('finds a run by seed and number, in a file, and in the corpus', async () => {
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun(run))
    const address = ['--seed', String(run.seed), '--run', String(run.run), ...pair]
    expect((await inTurn(['replay', ...address], { cwd })).code).toBe(1)
    expect((await inTurn(['replay', 'run.json'], { cwd })).code).toBe(1)
    expect((await inTurn(['corpus', 'add', token], { cwd })).code).toBe(0)
    const [name] = fs.readdirSync(path.join(cwd, 'scenarios/corpus'))
    expect((await inTurn(['replay', `scenarios/corpus/${name}`], { cwd })).code).toBe(1)
  })

  it('exits 4 when the run leaves its path and holds', async () => {
    const calm = { ...run, plan: { ...run.plan, messages: run.plan.messages.slice(0, 1), faults: [] } }
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun(calm))
    const { code, stdout } = await inTurn(['replay', 'run.json'], { cwd })
    expect(stdout).toMatch(/left its path: \d+ of \d+ steps; (left at|ended after) /)
    expect(stdout).toContain('the layer, its packages, or onceproof itself changed since the token was made')
    expect(code).toBe(4)
  })

  it('exits 4 when the plan has a fault that this version does not know', async () => {
    const fault = { kind: 'meteor', when: { at: 'time', ms: 1 } } as const
    const cwd = temporaryFolder()
    write(cwd, 'run.json', encodeRun({ ...run, plan: { ...run.plan, faults: [fault] } }))
    const { code, stdout } = await inTurn(['replay', 'run.json'], { cwd })
    expect(stdout).toContain('left its path: its plan has a fault meteor')
    expect(code).toBe(4)
  })

  it('shows what processes logged, with virtual time and name', async () => {
    const cwd = temporaryFolder()
    const handle = `handle: async (m) => { console.log('got', m.key); return { status: 'retry' } }`
    write(cwd, 'talks.ts', `export default { id: 'talks', create: () => ({ ${handle} }) }\n`)
    const args = ['replay', '--run', '0', '--impl', './talks.ts', '--scenario', 'competing-consumers']
    expect((await inTurn(args, { cwd })).stdout).toMatch(/^\d+\.\d ms {2}consumer-\d {2}got order-1$/m)
  })
})

describe('corpus add', () => {
  it('keeps a failure, which the next campaign of the pair replays before its own runs', async () => {
    const cwd = temporaryFolder()
    const quiet = [...pair, '--runs', '1', '--json', '--workers', '1', '--seed', '5']
    await inTurn(['corpus', 'add', token], { cwd })
    const { stdout } = await inTurn(quiet, { cwd })
    const { pairs } = JSON.parse(stdout)
    expect(pairs[0].runs).toBe(1)
    expect(pairs[0].violations.map((violation: { token: string }) => violation.token)).toContain(token)
  })

  it('adds nothing twice', async () => {
    const cwd = temporaryFolder()
    await inTurn(['corpus', 'add', token], { cwd })
    expect((await inTurn(['corpus', 'add', token], { cwd })).stdout).toMatch(/^kept before: /)
    expect(fs.readdirSync(path.join(cwd, 'scenarios/corpus'))).toHaveLength(1)
  })
})

describe('init', () => {
  it('writes an adapter that runs as it is', async () => {
    const cwd = temporaryFolder()
    const written = await inTurn(['init', 'my-layer.ts'], { cwd })
    expect(written.stdout).toContain('npx onceproof --impl ./my-layer.ts')
    fs.symlinkSync(new URL('../../node_modules', import.meta.url).pathname, path.join(cwd, 'node_modules'))
    const where = ['--impl', './my-layer.ts', '--scenario', 'competing-consumers']
    const args = [...where, '--runs', '2', '--no-html', '--json', '--workers', '1']
    const { code, stdout } = await inTurn(args, { cwd })
    expect(JSON.parse(stdout).pairs[0]).toMatchObject({ implementation: 'my-layer', runs: 2, unsupportedCommands: [] })
    expect([0, 1, 4]).toContain(code)
    expect(JSON.parse(stdout).pairs[0].done).toBeGreaterThan(0)
  })

  it('refuses to write over anything', async () => {
    const cwd = temporaryFolder()
    write(cwd, 'mine.ts', 'precious')
    const { code, stderr } = await inTurn(['init', 'mine.ts'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'onceproof: mine.ts: it exists; choose another name, or remove it first\n',
    })
    expect(fs.readFileSync(path.join(cwd, 'mine.ts'), 'utf8')).toBe('precious')
  })
})

describe('list', () => {
  it('names what can be named, as JSON too', async () => {
    const listed = JSON.parse((await inTurn(['list', '--json'])).stdout)
    const names = (of: string) => listed[of].map(({ name }: { name: string }) => name)
    expect(names('scenarios')).toContain('lost-reply')
    expect(names('implementations')).toEqual(expect.arrayContaining(['reference', '001-get-set']))
    expect(names('faults')).toContain('crash')
    expect(names('invariants')).toContain('at-most-once')
    expect(names('goals').length).toBeGreaterThan(5)
  })
})
