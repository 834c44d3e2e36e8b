import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from '../cli/run-cli.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The hooks of a project of its own, which keeps what it compiles in there. */
async function project() {
  const folder = temporaryFolder()
  const hooks = write(folder, 'test/sources/hooks.mjs', fs.readFileSync(path.join(here, 'hooks.mjs'), 'utf8'))
  fs.mkdirSync(path.join(folder, 'node_modules'))
  const compiler = fs.realpathSync(path.join(here, '../../node_modules/sucrase'))
  fs.symlinkSync(compiler, path.join(folder, 'node_modules/sucrase'))
  const { load } = await import(pathToFileURL(hooks).href)
  const codeOf = (file: string): string => load(pathToFileURL(file).href, {}, () => null).source
  return { folder, codeOf, kept: path.join(folder, 'node_modules/.cache/onceproof-tests/a.ts.js') }
}

it('sources are compiled once, and again when they have changed', async () => {
  const { folder, codeOf, kept } = await project()
  const file = write(folder, 'a.ts', 'export const a: number = 1\n')
  expect(codeOf(file)).toMatch(/export const a *= 1\n/)
  fs.writeFileSync(kept, fs.readFileSync(kept, 'utf8').replace('= 1', '= 2'))
  expect(codeOf(file)).toMatch(/= 2/)
  write(folder, 'a.ts', 'export const a: number = 3\n')
  expect(codeOf(file)).toMatch(/= 3/)
})

it('sources are compiled where nothing can be kept', async () => {
  const { folder, codeOf } = await project()
  write(folder, 'node_modules/.cache', 'no folder')
  expect(codeOf(write(folder, 'a.ts', 'export const a: number = 1\n'))).toMatch(/= 1/)
})

it('every line of a source stays where it is', async () => {
  const { folder, codeOf } = await project()
  const source = `import type { A } from './b.ts'
interface B {
  readonly b: A
}
class C {
  constructor(
    private readonly b: B,
    readonly c = 1,
  ) {}
}
throw new C(null as unknown as B)
`
  const lines = codeOf(write(folder, 'a.ts', source)).split('\n')
  expect(lines).toHaveLength(source.split('\n').length)
  expect(lines[10]).toMatch(/^throw new C\(/)
})
