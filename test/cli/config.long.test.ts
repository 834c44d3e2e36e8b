/** `onceproof.config`, and the options that override it. bad-files.test.ts has invalid ones. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { type CliResult, temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const json = ['--json', '--workers', '1', '--no-html']

/** A project with a config and a layer. */
function project(): string {
  const cwd = temporaryFolder()
  write(
    cwd,
    'onceproof.config.ts',
    `export default {
  implementations: ['./mine.ts'],
  scenarios: ['competing-consumers'],
  runs: 2,
  seed: 7,
  reports: 'told',
  sinks: ['keyed', 'fenced', 'plain'],
}
`,
  )
  write(
    cwd,
    'mine.ts',
    `export default {
  id: 'mine',
  sinks: ['plain', 'keyed'],
  create: () => ({ handle: async () => ({ status: 'refused', error: 'closed today' }) }),
}
`,
  )
  return cwd
}

function played({ stdout }: CliResult) {
  const { seed, pairs } = JSON.parse(stdout)
  const text = ({ implementation, scenario, sink, runs }: Record<string, string>) =>
    `${implementation} ${scenario} ${sink} ${runs}`
  return { seed, pairs: pairs.map(text) }
}

it('a config selects the runs, on each sink of the layer, and the folder of the report', async () => {
  const cwd = project()
  const result = await onceproofHere(json, { cwd })
  const pairs = ['mine competing-consumers plain 2', 'mine competing-consumers keyed 2']
  expect(played(result)).toEqual({ seed: 7, pairs })
  const report = fs.readFileSync(path.join(cwd, 'told/latest/results.json'), 'utf8')
  expect(JSON.parse(report)).toEqual(JSON.parse(result.stdout))
})

it('an option overrides its member of the config, and --no-config overrides all of it', async () => {
  const cwd = project()
  const options = ['--sink', 'keyed', '--runs', '1', '--seed', '1', '--reports', 'r']
  const others = ['--impl', 'reference', '--scenario', 'key-reuse']
  const some = await onceproofHere([...json, ...options, ...others], { cwd })
  expect(played(some)).toEqual({ seed: 1, pairs: ['reference key-reuse keyed 1'] })
  expect(fs.existsSync(path.join(cwd, 'r/latest'))).toBe(true)
  const none = await onceproofHere([...json, '--no-config', '--runs', '1', '--scenario', 'key-reuse'], { cwd })
  expect(played(none)).toEqual({ seed: 1, pairs: ['reference key-reuse plain 1'] })
})

it('--time overrides the runs of the config', async () => {
  const { stdout } = await onceproofHere([...json, '--sink', 'plain', '--time', '100ms'], { cwd: project() })
  expect(JSON.parse(stdout)).toMatchObject({ bounded: 'time' })
})
