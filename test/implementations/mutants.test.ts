import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { kindsWithoutCanary } from '../../src/campaign/conduct/check-canaries.ts'
import type { Hunt } from '../../src/contract/api/canary.ts'
import { faults } from '../../src/run/faults/index.ts'
import { isMutant, patchedSources } from '../../src/sim/adapters/mutants.ts'

const folder = path.resolve('implementations/canaries')

const programs = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)canary-[^/]*\.ts$/.test(file))

const modules = await Promise.all(programs.map((file) => import(path.join(folder, file))))

it('each mutant matches the sources that it changes', () => {
  const mutants = modules.map((module) => module.default).filter(isMutant)
  expect(mutants.length).toBeGreaterThan(50)
  const misfits = mutants.flatMap((mutant) => {
    try {
      patchedSources(mutant)
      return []
    } catch (error) {
      return [String(error)]
    }
  })
  expect(misfits).toEqual([])
})

it('each kind of fault has a canary that it alone kills', () => {
  const canaries: { readonly id: string; readonly hunt: Hunt }[] = modules.map((module) => module.default)
  const file = 'implementations/canaries/per-fault/canary-only-<kind>.ts'
  expect(kindsWithoutCanary(faults.keys(), canaries), `write ${file}`).toEqual([])
  const others = canaries.filter(({ id }) => id !== 'canary-only-slow-effect')
  expect(kindsWithoutCanary(faults.keys(), others)).toEqual(['slow-effect'])
})
