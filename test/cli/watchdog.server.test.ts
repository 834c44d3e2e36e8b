import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { change, packageCopy } from './package-copy.ts'
import { onceproofOf, temporaryFolder, write } from './run-cli.ts'

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))
const address = { implementation: './my layer.ts', scenario: 'lost-reply', sink: 'plain', seed: 7, run: 12 } as const

/** A process whose main thread runs this code during a run. `lastWords` runs at its end. */
function inRun(what: string, args: readonly string[] = [], lastWords = '') {
  const file = write(
    temporaryFolder(),
    'play.mts',
    `import { Worker } from 'node:worker_threads'
import { createStatusTable, takeSlot } from ${JSON.stringify(path.join(packageFolder, 'src/cli/status-table.ts'))}
import { startWatchdog } from ${JSON.stringify(path.join(packageFolder, 'src/cli/watchdog.ts'))}
const statusTable = createStatusTable()
startWatchdog(statusTable, process.argv.includes('--json'), () => {${lastWords}}, { timeouts: { wallMs: 400, cpuMs: 200 } })
takeSlot(statusTable)
const slot = takeSlot(statusTable)
slot.playing(${JSON.stringify(address)})
slot.begun()
${what}
`,
  )
  const limits = { timeout: 20_000, killSignal: 'SIGKILL' } as const
  return spawnSync(process.execPath, ['--import', 'tsx', file, ...args], {
    ...{ cwd: packageFolder, encoding: 'utf8' },
    ...limits,
  })
}

it('an endless turn is reported in one line, with the replay command and exit code 3', () => {
  const { status, stderr, stdout } = inRun('while (true) {}')
  expect(stderr).toMatch(
    /^onceproof: \.\/my layer\.ts under lost-reply, seed 7, run 12: a turn of the layer has not ended .*: find the endless loop with pnpm sim replay --seed 7 --run 12 --impl '\.\/my layer\.ts' --scenario lost-reply --sink plain\n$/,
  )
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
})

it('an endless turn is the only document on standard output with --json', () => {
  const { status, stderr, stdout } = inRun('while (true) {}', ['--json'])
  expect(JSON.parse(stdout).error.culprit).toBe('./my layer.ts under lost-reply, seed 7, run 12')
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
})

it('an endless turn in a worker thread is reported, too', () => {
  const { status, stderr } = inRun(`new Worker('while (true) {}', { eval: true })`)
  expect(stderr).toMatch(
    /^onceproof: \.\/my layer\.ts under lost-reply, seed 7, run 12: a turn of the layer has not ended /,
  )
  expect(status).toBe(3)
})

it('an endless turn is reported once, however long the last words take', () => {
  const slowly = 'for (const end = Date.now() + 1_000; Date.now() < end; );'
  const { status, stderr } = inRun('while (true) {}', [], slowly)
  expect({ status, lines: stderr.split('\n') }).toEqual({
    status: 3,
    lines: [expect.stringMatching(/^onceproof: /), ''],
  })
})

/** Checks, then acts. */
const layer = (inCreate: string, inHandle: string) => `
import { Redis } from '${path.join(packageFolder, 'node_modules/ioredis/built/index.js')}'
export default {
  id: 'loops',
  lacks: ['lease', 'stored-result', 'dead-lettering'],
  create: ({ redis, sink, leaseMs, retentionMs }) => {
    const client = new Redis(redis.options)
    ${inCreate}
    return {
      close: () => client.disconnect(),
      async handle(message) {
        ${inHandle}
        if (await client.get(message.key)) return { status: 'done', result: null }
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        await client.set(message.key, '1', 'PX', 2 * retentionMs)
        return { status: 'done', result: receipt }
      },
    }
  },
}
`

/** It never finishes its second message. */
const loopsBehindSentinels = layer('let handled = 0', "while ('sentinels' in redis.options && ++handled > 1) {}")

it.each([
  ['the main thread reports its line', '1', 'it does not return from loops\\.mjs:12;'],
  ['a worker reports its run', '2', 'find the endless loop with'],
])('an endless turn before a violation makes a layer unusable, and %s', async (_, workers, where) => {
  const only = ['--scenario', 'redis-failover', '--workers', workers]
  const { code, stderr, results } = await commandLine(['run', '--impl', './loops.mjs', ...only])
  expect(stderr).toMatch(new RegExp(`: a turn of the layer has not ended after 2 s: ${where} npx onceproof replay `))
  expect(code).toBe(2)
  expect(results).toMatchObject({ interrupted: true, exitCode: 2, findings: [] })
})

/** The command line, compiled as for users, with a watchdog of a short time-out. */
async function commandLine(args: readonly string[], loops = loopsBehindSentinels) {
  const impatient = packageCopy()
  change(impatient, 'src/cli/watchdog.ts', '{ wallMs: 60_000, cpuMs: 30_000 }', '{ wallMs: 2_000, cpuMs: 1_500 }')
  const folder = temporaryFolder()
  write(folder, 'loops.mjs', loops)
  const reported = await onceproofOf(impatient, args, { cwd: folder })
  const results: Results = JSON.parse(fs.readFileSync(path.join(folder, 'reports/latest/results.json'), 'utf8'))
  return { ...reported, results, page: fs.readFileSync(path.join(folder, 'reports/latest/index.html'), 'utf8') }
}

it('an endless turn ends a campaign with its line, and the findings so far are written', async () => {
  const both = ['--scenario', 'competing-consumers', '--scenario', 'redis-failover', '--runs', '5']
  const { code, stdout, stderr, results, page } = await commandLine([
    ...['run', '--impl', './loops.mjs', ...both, '--workers', '1'],
  ])
  expect(stderr).toMatch(
    /^onceproof: \.\/loops\.mjs under redis-failover, seed 1, run \d+: a turn .* from loops\.mjs:12; .* replay .*\n$/,
  )
  // The layer is to blame, and was violated before.
  expect(code).toBe(1)
  expect(results).toMatchObject({ interrupted: true, exitCode: 1, control: null })
  const [broken] = results.pairs
  expect(broken).toMatchObject({ scenario: 'competing-consumers', verdict: 'violated', runs: 5 })
  expect(results.notRun).toEqual([{ implementation: './loops.mjs', scenario: 'redis-failover', sink: 'plain' }])
  const [worst] = results.findings
  expect(worst).toMatchObject({ id: 'F1', cause: { invariant: 'at-most-once' }, shrunk: false })
  const [reported] = broken!.violations.filter(({ finding }) => finding === 'F1')
  expect(reported).toMatchObject({ run: worst!.run, token: worst!.token })
  expect(page).toContain(worst!.token)
  expect(stdout).not.toContain('the harness failed')
})

/** Endless microtasks in the runs with one of these leases. */
const loopsIn = (...leases: number[]) => layer('', `while ([${leases}].includes(leaseMs)) await null`)

it('an endless turn in a worker ends only its pair, and other violations are shrunk', async () => {
  const both = ['--scenario', 'competing-consumers', '--scenario', 'lost-reply', '--runs', '10', '--workers', '2']
  // The fifth run of one scenario, and the second of the other.
  const { code, results, stderr } = await commandLine(['run', '--impl', './loops.mjs', ...both], loopsIn(2011, 4999))
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(results).toMatchObject({ interrupted: false, exitCode: 1, notRun: [], control: { verdict: 'violated' } })
  const [broken, stuck] = results.pairs
  const why = (run: string) =>
    new RegExp(`^\\./loops.mjs under ${run}: a turn of the layer has not ended after 2 s: .* npx onceproof replay `)
  expect(broken).toMatchObject({ scenario: 'competing-consumers', verdict: 'violated', runs: 4 })
  expect(broken!.assumptions.at(-1)).toMatch(why('competing-consumers, seed 1, run 4'))
  expect(stuck).toMatchObject({ scenario: 'lost-reply', verdict: 'unknown', runs: 0 })
  expect(stuck!.reason).toMatch(why('lost-reply, seed 1, run 1'))
  expect(results.findings.map(({ shrunk }) => shrunk)).toContain(true)
})

it('an endless turn in a worker during a search leaves its run as drawn', async () => {
  const one = ['--scenario', 'competing-consumers', '--runs', '30', '--workers', '2', '--bail']
  const { code, results } = await commandLine(['run', '--impl', './loops.mjs', ...one], loopsIn(500))
  expect(code).toBe(1)
  expect(results).toMatchObject({ interrupted: false, exitCode: 1, control: { verdict: 'violated' } })
  expect(results.findings.map(({ shrunk }) => shrunk)).toContain(false)
})

it('an idle run, or one after another, is not reported by the watchdog', () => {
  const waits = inRun(`setTimeout(() => process.exit(0), 2_000)`)
  expect({ status: waits.status, stderr: waits.stderr }).toEqual({ status: 0, stderr: '' })
  const follows = inRun(
    'for (const end = Date.now() + 2_000; Date.now() < end; ) { slot.ended(); slot.begun() }\nprocess.exit(0)',
  )
  expect({ status: follows.status, stderr: follows.stderr }).toEqual({ status: 0, stderr: '' })
})
