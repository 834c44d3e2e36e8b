/** Properties of fast-check over runs of real layers, which a second thread plays. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BrokenRunError, onceProperty, type PropertyOptions } from '../../src/api/once-property.ts'
import { RunThread } from '../../src/api/run-thread.ts'
import { decodeToken } from '../../src/campaign/token/token.ts'
import type { PlannedRun } from '../../src/contract/api/planned-run.ts'
import { onceproof, temporaryFolder, write } from '../cli/run-cli.ts'

const patientMs = 120_000
const check = (
  layer: string,
  scenario: string,
  parameters: fc.Parameters<[PlannedRun]>,
  options?: PropertyOptions,
): Promise<fc.RunDetails<[PlannedRun]>> => fc.check(onceProperty(layer, scenario, options), parameters)

/** `handle` is the code of each handler. */
const layer = (id: string, handle: string): string =>
  write(
    temporaryFolder(),
    `${id}.mjs`,
    `import fs from 'node:fs'
const seen = new Set()
export default {
  id: '${id}',
  create({ sink }) {
    return { async handle({ key, payload, messageId }) { ${handle} } }
  },
}
`,
  )
const performs = `return { status: 'done', result: await sink.perform({ key, payload }) }`

it('a correct layer passes', { timeout: patientMs }, async () => {
  await fc.assert(onceProperty('reference', 'only-crashes'), { numRuns: 15, seed: 1 })
})

it('a broken layer fails with its shrunk violation, the same at every call', { timeout: patientMs }, async () => {
  const found = await check('001-get-set', 'only-crashes', { numRuns: 50, seed: 1 })
  const { counterexample, counterexamplePath, errorInstance } = found
  const [{ plan }] = counterexample!
  expect(plan).toMatchObject({ faults: [{ kind: 'crash' }], messages: [{ key: 'order-1' }] })
  expect(found.numShrinks).toBeGreaterThan(0)
  expect(errorInstance).toBeInstanceOf(BrokenRunError)
  const { message, violation } = errorInstance as BrokenRunError
  expect(violation).toMatchObject({ invariant: 'at-most-once', kind: 'repeat-after-crash', faultCount: 1 })
  expect(message).toMatch(/^at-most-once: repeat-after-crash: the effect of order-1 was applied by /)
  expect(message).toMatch(/\n.*\d ms {2}fault: consumer-\d is killed /)
  expect(message).toContain(`\nreplay: pnpm sim replay ${violation.token}`)

  const path = counterexamplePath!
  const [same, byPath] = [
    await check('001-get-set', 'only-crashes', { numRuns: 50, seed: 1 }),
    await check('001-get-set', 'only-crashes', { seed: 1, path, endOnFailure: true }),
  ]
  for (const again of [same, byPath]) {
    expect(again.counterexample).toEqual(counterexample)
    expect((again.errorInstance as Error).message).toBe(message)
  }
  expect(byPath.numRuns).toBe(1)
  const otherwise = await check('001-get-set', 'only-crashes', { numRuns: 50, seed: 2, endOnFailure: true })
  expect(otherwise.counterexample).not.toEqual(counterexample)
})

it('the token in the message replays on the command line, step by step to the same end', {
  timeout: patientMs,
}, async () => {
  const { counterexample, errorInstance } = await check('001-get-set', 'competing-consumers', { seed: 3 })
  const { violation } = errorInstance as BrokenRunError
  const decoded = decodeToken(violation.token!)
  expect(decoded).toMatchObject({ ok: true, run: { scenario: 'competing-consumers', implementation: '001-get-set' } })
  const { run } = decoded as Extract<typeof decoded, { ok: true }>
  expect({ plan: run.plan, choiceSeed: run.choiceSeed }).toEqual(JSON.parse(JSON.stringify(counterexample![0])))
  const { code, stdout } = await onceproof(['replay', violation.token!, '--json'])
  const { pairs, followed } = JSON.parse(stdout)
  expect(code).toBe(1)
  expect(followed).toEqual({ n: run.stepCount, of: run.stepCount, leftAt: null })
  expect(pairs[0].violations[0]).toMatchObject({ invariant: violation.invariant, sentence: violation.sentence })
})

it('a smaller run breaks in the same way as the drawn run', { timeout: patientMs }, async () => {
  // A process loses its first message, and repeats the effects of others. A smaller run only loses.
  const twoWays = layer(
    'two-ways',
    `seen.add({})
     if (seen.size < 2) return { status: 'done', result: null }
     await sink.perform({ key, payload })
     ${performs}`,
  )
  const [drawn, shrunk] = [
    await check(twoWays, 'competing-consumers', { numRuns: 1, seed: 2, endOnFailure: true }),
    await check(twoWays, 'competing-consumers', { numRuns: 1, seed: 2 }),
  ]
  for (const { errorInstance } of [drawn, shrunk])
    expect((errorInstance as BrokenRunError).violation).toMatchObject({ invariant: 'at-most-once' })
  expect(shrunk.numShrinks).toBeGreaterThan(0)
})

it('a run that cannot be judged fails, and is not shrunk', { timeout: patientMs }, async () => {
  const unjudged = layer('writes-a-file', `fs.writeFileSync('never-written', ''); ${performs}`)
  const { failed, numShrinks, errorInstance } = await check(unjudged, 'only-crashes', { numRuns: 3, seed: 1 })
  expect({ failed, numShrinks }).toEqual({ failed: true, numShrinks: 0 })
  expect((errorInstance as Error).message).toMatch(/^this run has no verdict: not simulated: .*writeFile/)
})

it('a layer whose runs depend on previous runs fails, and is not shrunk', { timeout: patientMs }, async () => {
  const counts = layer(
    'counts',
    `await new Promise((resolve) => setTimeout(resolve, globalThis.n = (globalThis.n ?? 0) + 1)); ${performs}`,
  )
  const { failed, numShrinks, errorInstance } = await check(counts, 'only-pauses', { numRuns: 3, seed: 1 })
  expect({ failed, numShrinks }).toEqual({ failed: true, numShrinks: 0 })
  expect((errorInstance as Error).message).toMatch(/is not repeatable|outlived a run/)
})

it('a layer that cannot be played gives one clear error, and no counterexample', {
  timeout: patientMs,
}, async () => {
  const refused = async (name: string, scenario: string, options?: PropertyOptions) =>
    fc.assert(onceProperty(name, scenario, options), { numRuns: 3 }).catch(({ name, message, exitCode }) => {
      return { name, message, exitCode }
    })
  expect(await refused('001-get-set', 'dynamodb-errors')).toEqual({
    name: 'SimulationError',
    message: expect.stringMatching(
      /^nothing to run: 001-get-set × dynamodb-errors: skipped, .* keeps its records in Redis$/,
    ),
    exitCode: 2,
  })
  expect((await refused('001-get-set', 'only-crashes', { sink: 'fenced' }))!.message).toMatch(
    /^--sink fenced: 001-get-set supports plain and keyed sinks only$/,
  )
  expect((await refused('./nowhere.ts', 'only-crashes'))!.message).toMatch(/^\.\/nowhere\.ts: no such file/)
  expect((await refused('001-get-set', 'only-crashs'))!.message).toMatch(/only-crashes/)
  expect((await refused('001-get-set', 'only-*'))!.message).toMatch(/needs one layer and one scenario/)
  expect((await refused(layer('typo', 'nowhere()'), 'only-crashes'))!.message).toMatch(/nowhere is not defined/)
})

it('onceProperty reports invalid arguments', () => {
  expect(() => onceProperty({} as string, 'only-crashes')).toThrow(/^onceProperty: {} names nothing; give a path/)
  expect(() => onceProperty('reference', 'only-crashes', { sinks: [] } as PropertyOptions)).toThrow(
    /^onceProperty: unknown option sinks; known: sink$/,
  )
})

it('onceProperty accepts a scenario of the user, and a layer by URL', { timeout: patientMs }, async () => {
  const own = write(
    temporaryFolder(),
    'twice.ts',
    `import { defineScenario, drawFault, plansOf } from 'onceproof'
export default defineScenario({
  ...{ id: 'twice', story: 'Twice.', shape: 'single', assumptions: [], goals: [], recoveryCapMs: 60_000 },
  invariants: ['at-most-once'],
  plans: plansOf({ always: drawFault('redelivery'), faults: [], messages: 2 }),
})
`,
  )
  const unguarded = new URL(`file://${layer('unguarded', performs)}`)
  const { counterexample, errorInstance } = await fc.check(onceProperty(unguarded, own), { numRuns: 30, seed: 1 })
  expect(counterexample![0].plan.faults.map(({ kind }) => kind)).toEqual(['redelivery'])
  expect((errorInstance as Error).message).toMatch(/ --impl \S+unguarded\.mjs --scenario \S+twice\.ts$/)
})

it('an endless turn is given up, and the next question gets another thread', { timeout: patientMs }, async () => {
  const thread = new RunThread({ wallMs: 1000, cpuMs: 300 })
  const pair = { implementation: layer('hangs', 'for (;;);'), scenario: 'only-crashes' }
  const run = { plan: {}, choiceSeed: 1 } as unknown as PlannedRun
  const late = {
    name: 'SimulationError',
    message: expect.stringMatching(/: a turn of the layer has not ended after 1 s/),
  }
  await expect(thread.ask({ kind: 'play', pair, run, way: undefined })).rejects.toMatchObject(late)
  expect(thread.isOver).toBe(true)
  const blocked = new RunThread({ wallMs: 1000, cpuMs: 300 })
  expect(() => blocked.askNow({ kind: 'draw', pair, seed: 1, bias: undefined })).toThrow(/has not ended after 1 s/)
  expect(RunThread.current).not.toBe(blocked)
})

it(
  'the thread ends with the process that asked',
  async () => {
    const file = write(
      temporaryFolder(),
      'asks.mts',
      `import { onceProperty } from ${JSON.stringify(path.join(root, 'src/api/once-property.ts'))}
import fc from ${JSON.stringify(import.meta.resolve('fast-check'))}
await fc.assert(onceProperty('reference', 'only-crashes'), { numRuns: 1 })
console.log('held')
`,
    )
    const { execFile } = await import('node:child_process')
    const said = await new Promise((resolve) =>
      execFile(process.execPath, ['--import', 'tsx', file], { cwd: root }, (error, out) => resolve({ error, out })),
    )
    expect(said).toEqual({ error: null, out: 'held\n' })
  },
  patientMs,
)

const root = fileURLToPath(new URL('../../', import.meta.url))
