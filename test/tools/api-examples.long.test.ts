import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { apiOf, codeOf, entryPoints, examplesOf, project } from '../../tools/api/page.ts'
import { temporaryFolder, write } from '../cli/run-cli.ts'

const patientMs = 300_000
const run = (folder: string, ...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder })

/** A folder in which the names of the package's entry points lead to the sources. */
function projectFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'))
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  write(folder, 'package.json', '{ "type": "module" }')
  write(
    folder,
    'tsconfig.json',
    JSON.stringify({ extends: path.join(project, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }),
  )
  for (const [name, text] of Object.entries(files)) write(folder, name, `${text}export {}\n`)
  return folder
}

const typeCheck = (folder: string) =>
  run(folder, path.join(project, 'node_modules/typescript/bin/tsc'), '--noEmit', '--checkers', '1', '-p', folder)

const examples = entryPoints().flatMap((entry) =>
  apiOf(entry).exports.map((one) => {
    return { file: `${entry.name.replace('/', '-')}-${one.name}.ts`, ...codeOf(examplesOf(one)[0]!)! }
  }),
)

/** What the code prints, by its comments: `console.log(a) // 1 …`. */
function outputsOf(code: string): RegExp[] {
  const comments = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, one]) => one!)
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return comments.map((one) => new RegExp(`^${one.split('…').map(escaped).join('.*')}$`))
}

it(
  'type-checks every example of a docstring, and runs those that need no server',
  async () => {
    const folder = projectFolder(Object.fromEntries(examples.map(({ file, code }) => [file, code])))
    await typeCheck(folder)
    const running = examples.filter(({ runs }) => runs).map(({ file }) => `await import('./${file}')\n`)
    expect(running.length).toBeGreaterThan(150)
    write(folder, 'all.ts', running.join(''))
    const { stdout } = await run(folder, path.join(project, 'node_modules/tsx/dist/cli.mjs'), 'all.ts')
    const lines = stdout.split('\n')
    const expected = examples.filter(({ runs }) => runs).flatMap(({ code }) => outputsOf(code))
    expect(expected.length).toBeGreaterThan(4)
    expect(expected.filter((one) => !lines.some((line) => one.test(line)))).toEqual([])
  },
  patientMs,
)

it('finds a mistake in an example', async () => {
  const folder = projectFolder({ 'wrong.ts': "import { simulate } from 'onceproof'\nsimulate({ layer: 'x' })\n" })
  await expect(typeCheck(folder)).rejects.toMatchObject({ stdout: expect.stringContaining("'layer' does not exist") })
})
