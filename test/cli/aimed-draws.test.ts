import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadScenario } from '../../src/cli/load-scenario.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'aimed-draws-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

let files = 0

function loading(aimed: string): Promise<unknown> {
  const file = path.join(folder, `scenario-${files++}.mjs`)
  const lists = `assumptions: [], invariants: ['at-most-once'], goals: ['a-request-was-lost']`
  fs.writeFileSync(
    file,
    `const plans = { generate() {} }
    export default { id: 's', story: '', ${lists}, recoveryCapMs: 1, shape: 'single', plans, aimed: ${aimed} }`,
  )
  return loadScenario(file)
}

it('a scenario is loaded if its aimed draws leave half of the runs without aim', async () => {
  await expect(loading(`{ every: 2, draws: [{ goals: ['a-request-was-lost'], plans }] }`)).resolves.toMatchObject({
    aimed: { every: 2 },
  })
})

it('a scenario is rejected if it aims more than half of the runs, at nothing, or at a goal that it does not require', async () => {
  const draw = `{ goals: ['a-request-was-lost'], plans }`
  await expect(loading(`{ every: 1, draws: [${draw}] }`)).rejects.toThrow(/a whole number from 2/)
  await expect(loading(`{ every: 2, draws: [] }`)).rejects.toThrow(/has no `draws`/)
  await expect(loading(`{ every: 2, draws: [{ goals: [], plans: 1 }] }`)).rejects.toThrow(/has no `plans`/)
  await expect(loading(`{ every: 2, draws: [{ goals: ['a-server-was-promoted'], plans }] }`)).rejects.toThrow(
    /draws for a-server-was-promoted, which its goals do not include/,
  )
})
