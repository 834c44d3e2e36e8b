/** The example project, with the packed artifacts. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { write } from '../cli/run-cli.ts'
import { add, root, run, sameVersion, tryRun } from './consumer.ts'

const patientMs = 300_000

/** Its tests, in a subfolder of a folder that has the packages. */
export function describeExample(installed: () => string): void {
  let folder: string

  beforeAll(async () => {
    await add(['ioredis', 'vitest'].map(sameVersion), installed())
    folder = path.join(installed(), 'example')
    fs.cpSync(path.join(root, 'examples/vitest'), folder, { recursive: true })
  }, patientMs)

  it(
    'passes with its own commands',
    async () => {
      const { stdout } = await run('npm', ['test'], folder)
      expect(stdout).toMatch(/Tests {2}4 passed/)
      await run('npm', ['run', 'test:plain'], folder)
    },
    patientMs,
  )

  it('type-checks, including the matcher, and rejects an unknown option', async () => {
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: ['node'] }
    write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions, include: ['src', 'test'] }))
    await run('npx', ['tsc'], folder)
    write(
      folder,
      'test/wrong.test.ts',
      `import { expect } from 'vitest'
import 'onceproof/vitest'
await expect('./src/guarded.ts').toApplyEffectsOnce({ run: 1 })
`,
    )
    expect((await tryRun('npx', ['tsc'], folder)).stdout).toMatch(
      /^test\/wrong\.test\.ts\(3,\d+\): error TS2561: .*Did you mean to write 'runs'/,
    )
    fs.rmSync(path.join(folder, 'test/wrong.test.ts'))
  })

  it(
    'prints the story of a violation, and the reason for a missing verdict, with `not` as well',
    async () => {
      write(
        folder,
        'test/failing.test.ts',
        `import { expect, it } from 'vitest'
import 'onceproof/vitest'
const options = { scenarios: ['competing-consumers'], seed: 1 }
it('breaks', { timeout: 300_000 }, () => expect('./src/naive.ts').toApplyEffectsOnce({ ...options, runs: 20, reports: 'out here' }))
it('is unknown', { timeout: 300_000 }, () => expect('./src/guarded.ts').toApplyEffectsOnce({ ...options, runs: 1 }))
it('is not known either', { timeout: 300_000 }, () => expect('./src/guarded.ts').not.toApplyEffectsOnce({ ...options, runs: 1 }))
it('is no layer', () => expect(1).toApplyEffectsOnce())
it('is nowhere', { timeout: 300_000 }, () => expect('./nowhere.ts').toApplyEffectsOnce())
`,
      )
      const { code, stdout, stderr } = await tryRun('npx', ['vitest', 'run', 'test/failing.test.ts'], folder)
      fs.rmSync(path.join(folder, 'test/failing.test.ts'))
      expect(code).toBe(1)
      const said = `${stdout}${stderr}`
      expect(said).toContain('A side effect can happen twice: 1 pair violated.')
      expect(said).toMatch(/The sink applied effect-1 .* and effect-2 .* for the same key/)
      expect(said).toMatch(/replay: npx onceproof replay op2_\S+ --impl \.\/src\/naive\.ts/)
      expect(said).toContain('report: out here/latest/index.html')
      expect(fs.existsSync(path.join(folder, 'out here/latest/index.html'))).toBe(true)
      // Vitest prints it once if both errors have it in common, and twice if their stacks differ.
      expect(said).toMatch(/FAIL .*is unknown\s(.|\n)*No verdict on 1 of 1 pair/)
      expect(said).toMatch(/FAIL .*is not known either\s(.|\n)*No verdict on 1 of 1 pair/)
      expect(said).toMatch(/guarded × competing-consumers: not reached in 1 runs: /)
      expect(said).toContain('name the layer by its path, its id or its URL')
      expect(said).toContain('./nowhere.ts: no such file')
      expect(said).toContain('5 failed')
    },
    patientMs,
  )
}
