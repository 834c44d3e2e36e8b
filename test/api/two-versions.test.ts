/** Two versions of a layer at once, from a program and in a test suite. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { assertAppliesEffectsOnce } from '../../src/api/effects-once.ts'
import { type SimulateOptions, simulate } from '../../src/api/simulate.ts'
import '../../src/vitest.ts'
import { breaksId, holdsId, twoVersionsProject } from '../cli/two-versions-project.ts'

const patientMs = 120_000
const cwd = twoVersionsProject()
const next = path.join(cwd, 'next.ts')
const again = path.join(cwd, 'again.ts')
const quick = { scenarios: ['competing-consumers'], runs: 20, seed: 1, workers: 1 }
const before = 'marker-before-plain-sink'

describe('simulate with a next version', () => {
  it(
    'plays both, by path and by URL, and its findings name both',
    async () => {
      const { exitCode, pairs, findings } = await simulate({ implementation: before, withNext: next, ...quick })
      expect({ exitCode, pairs }).toMatchObject({ exitCode: 1, pairs: [{ implementation: breaksId }] })
      expect(findings[0]!.replay).toMatch(/ --impl marker-before-plain-sink --with-next \S+next\.ts$/)
      const withNext = pathToFileURL(again)
      const held = await simulate({ implementation: 'reference', withNext, ...quick })
      expect(held).toMatchObject({ exitCode: 0, pairs: [{ implementation: holdsId, verdict: 'pass' }] })
    },
    patientMs,
  )

  it.each([
    ['./nowhere.ts', /^\.\/nowhere\.ts: there is no such file; /],
    ['reference*', /^--with-next reference\*: several match; name one$/],
  ])(
    'that is %s is refused as the command line refuses it',
    async (withNext, message) => {
      const refused = simulate({ implementation: before, withNext, ...quick })
      await expect(refused).rejects.toMatchObject({ name: 'SimulationError', exitCode: 2 })
      await expect(refused).rejects.toThrow(message)
    },
    patientMs,
  )

  it('that is no name is a mistake of the call', async () => {
    const loaded = { implementation: before, withNext: { id: 'x' } } as unknown as SimulateOptions
    await expect(simulate(loaded)).rejects.toThrow(/^simulate: \[Object\] names nothing; give a path, an id or a URL/)
    await expect(simulate({ implementation: before, next } as SimulateOptions)).rejects.toThrow(/no option next; /)
  })
})

describe('toApplyEffectsOnce with a next version', () => {
  const reports = path.join(cwd, 'out')

  it(
    'fails with a message that names both and replays, where either version passes',
    async () => {
      const failing = expect(before).toApplyEffectsOnce({ withNext: next, ...quick, reports })
      await expect(failing).rejects.toThrow(/replay: .* --impl marker-before-plain-sink --with-next \S+next\.ts\n/)
      await expect(before).toApplyEffectsOnce({ ...quick, reports })
      await expect(next).toApplyEffectsOnce({ ...quick, reports })
      await expect('reference').toApplyEffectsOnce({ withNext: again, ...quick, reports })
    },
    patientMs,
  )

  it(
    'leaves its report in a folder of its own, which the message names',
    async () => {
      const here = process.cwd()
      process.chdir(cwd)
      onTestFinished(() => process.chdir(here))
      const page = 'reports/marker-before-plain-sink-with-next-next/latest/index.html'
      const failing = assertAppliesEffectsOnce(before, { withNext: './next.ts', ...quick })
      await expect(failing).rejects.toThrow(`report: ${page}`)
      expect(fs.existsSync(path.join(cwd, page))).toBe(true)
    },
    patientMs,
  )
})
