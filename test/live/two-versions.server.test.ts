/** Two versions of a layer on real servers at once. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { packageFolder } from '../../src/cli/catalogue.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { onceproof, temporaryFolder, write } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'

const inPackage = (file: string) => JSON.stringify(path.join(packageFolder, 'implementations', file))

/** A library that keeps metrics for its process. */
const registry = `const names = new Set()
export function register(name) {
  if (names.has(name)) throw new Error(name + ' is registered already')
  names.add(name)
}`

const registering = (id: string) => `import reference from ${inPackage('reference/reference.ts')}
import { register } from './registry.ts'
register('messages_handled')
export default { ...reference, id: '${id}' }`

function project(): string {
  const cwd = temporaryFolder()
  write(cwd, 'registry.ts', registry)
  write(cwd, 'before.ts', registering('before'))
  write(cwd, 'next.ts', registering('next'))
  write(cwd, 'misreads.ts', `export { default } from ${inPackage('canaries/parts/marker-version-two.ts')}`)
  return cwd
}

const local = ['--with', 'local']
const on = ['--scenario', 'competing-consumers']

needs({ redis: '7.0' }).describe('live with two versions', () => {
  const cwd = project()

  it('finds no violation if both versions register the same metrics at their top level, because a process loads only its own version', async () => {
    const both = ['--impl', './before.ts', '--with-next', './next.ts']
    const args = [
      ...local,
      '--proxy',
      'builtin',
      '--margin',
      '60000',
      ...both,
      ...on,
      '--run',
      '0',
      '--json',
      '--no-html',
    ]
    const { code, stdout, stderr } = await onceproof(['live', ...args], { cwd })
    const [pair] = JSON.parse(stdout).pairs
    expect({ code, stderr, ...pair }).toMatchObject({
      implementation: 'before with-next next',
      violations: [],
      code: 0,
    })
  })

  it('confirms a violation that the simulator found, because each process runs the version that it had in the simulation', async () => {
    const both = ['--impl', 'marker-before-plain-sink', '--with-next', './misreads.ts']
    const found = await onceproof([...both, ...on, '--seed', '1', '--runs', '1', '--workers', '1', '--json'], { cwd })
    const { token } = (JSON.parse(found.stdout) as Results).findings[0]!
    const { code, stdout } = await onceproof(['replay-live', token!, ...local, ...both, '--json'], { cwd })
    const { confirmations } = JSON.parse(stdout)
    expect({ code, confirmations }).toMatchObject({ code: 1, confirmations: [{ answer: 'confirmed' }] })
  })
})
