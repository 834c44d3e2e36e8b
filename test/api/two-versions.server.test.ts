/** Two versions of a layer, from a program and in a test suite. Each call starts a process. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { type SimulateOptions, simulate } from '../../src/api/simulate.ts'
import '../../src/vitest.ts'
import { breaks, breaksId, holdsId, twoVersionsProject } from '../cli/two-versions-project.ts'

const cwd = twoVersionsProject()
const [, before, , next] = breaks
const quick = { scenarios: ['competing-consumers'], runs: 20, seed: 1, workers: 1 }

it('toApplyEffectsOnce fails for a next version that misreads records, and writes a report of that pair', async () => {
  const here = process.cwd()
  process.chdir(cwd)
  onTestFinished(() => process.chdir(here))
  const page = 'reports/marker-before-plain-sink-with-next-next/latest/index.html'
  const failing = expect(before).toApplyEffectsOnce({ withNext: next, ...quick })
  await expect(failing).rejects.toThrow(/replay: .* --impl marker-before-plain-sink --with-next \.\/next\.ts\n/)
  await expect(failing).rejects.toThrow(`report: ${page}`)
  expect(fs.existsSync(path.join(cwd, page))).toBe(true)
  const results = JSON.parse(fs.readFileSync(path.join(cwd, path.dirname(page), 'results.json'), 'utf8'))
  expect(results).toMatchObject({ exitCode: 1, pairs: [{ implementation: breaksId }] })
})

it('simulate accepts a next version by its URL', async () => {
  const withNext = pathToFileURL(path.join(cwd, 'again.ts'))
  const held = await simulate({ implementation: 'reference', withNext, ...quick })
  expect(held).toMatchObject({ exitCode: 0, pairs: [{ implementation: holdsId, verdict: 'pass' }] })
})

it('simulate refuses a missing next version like the command line', async () => {
  await expect(simulate({ implementation: before, withNext: './nowhere.ts', ...quick })).rejects.toMatchObject({
    name: 'SimulationError',
    exitCode: 2,
    message: expect.stringMatching(/^\.\/nowhere\.ts: no such file; /),
  })
})

it('simulate refuses a next version without a name, and an unknown option', async () => {
  const loaded = { implementation: before, withNext: { id: 'x' } } as unknown as SimulateOptions
  await expect(simulate(loaded)).rejects.toThrow(/^simulate: \[Object\] names nothing; give a path, an id or a URL/)
  await expect(simulate({ implementation: before, next } as SimulateOptions)).rejects.toThrow(/unknown option next; /)
})

it('toApplyEffectsOnce reports a test timeout that is too short for its campaign', async () => {
  const campaign = expect('reference').toApplyEffectsOnce({ ...quick, runs: 100_000 })
  const remedy = 'took longer than the 3000 ms of the test; give it 300_000 ms, or fewer scenarios or runs'
  await expect(campaign).rejects.toThrow(remedy)
}, 3000)
