/**
 * Rolling upgrades from an older guard, in the simulator: every second consumer is upgraded before
 * the run, and the others when they restart (docs/guide/once-or-not.md).
 */
import path from 'node:path'
import { expect, it } from 'vitest'
import { onceproofHere } from '../cli/run-here.ts'

const adapter = (name: string) => path.resolve(`examples/once/migration/${name}.ts`)
const runs = 150

async function upgrade(from: string, to: string, scenario: string) {
  const versions = ['--impl', from, '--with-next', to]
  const how = ['--scenario', scenario, '--runs', String(runs), '--workers', '1', '--bail', '--no-html', '--json']
  const { code, stdout } = await onceproofHere(['run', ...versions, ...how])
  return { code, results: stdout }
}

const patientMs = 600_000

it.each([
  ['old-set-nx', 'new-beside-set-nx', 'competing-consumers'],
  ['old-set-nx', 'new-beside-set-nx', 'only-redeliveries'],
  ['old-set-nx', 'new-beside-set-nx', 'only-crashes'],
  ['old-set-nx', 'new-beside-set-nx', 'only-lost-replies'],
  ['old-powertools', 'new-beside-powertools', 'only-redeliveries'],
])(
  'from %s to %s, no effect happens twice and no message is lost under %s',
  async (from, to, scenario) => {
    const { code, results } = await upgrade(adapter(from), adapter(to), scenario)
    expect(code, results).toBe(0)
  },
  patientMs,
)

it.each(['old-set-nx', 'old-powertools'])(
  'from %s to consumers that ignore its markers, an effect happens twice',
  async (from) => {
    const { code, results } = await upgrade(adapter(from), 'reference', 'only-redeliveries')
    expect(code).toBe(1)
    expect(results).toContain('at-most-once')
  },
  patientMs,
)
