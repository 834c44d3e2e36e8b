import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { isMutant, patchedSources } from '../../src/sim/adapters/mutants.ts'

const folder = path.resolve('implementations/canaries')

const programs = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)canary-[^/]*\.ts$/.test(file))

it('each mutant matches the sources that it changes', async () => {
  const modules = await Promise.all(programs.map((file) => import(path.join(folder, file))))
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
