/** `init`, with and without a file. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (cwd: string, file: string): string => fs.readFileSync(path.join(cwd, file), 'utf8')

function project(): string {
  const cwd = temporaryFolder()
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'))
  return cwd
}

it('init asks no questions, and writes a project', async () => {
  const cwd = project()
  write(cwd, 'package.json', '{\n    "name": "mine",\n    "scripts": { "test": "true" }\n}\n')
  write(cwd, 'pnpm-lock.yaml', '')
  const { code, stdout } = await onceproofHere(['init'], { cwd })
  expect({ code, lines: stdout.trim().split('\n') }).toEqual({
    code: 0,
    lines: [
      'written: my-layer.ts',
      'written: onceproof.config.ts',
      'written: package.json: the script onceproof',
      'written: .github/workflows/onceproof.yml',
      'try it: npx onceproof',
    ],
  })
  const scripts = { test: 'true', onceproof: 'onceproof' }
  expect(read(cwd, 'package.json')).toBe(`${JSON.stringify({ name: 'mine', scripts }, null, 4)}\n`)
  expect(read(cwd, '.github/workflows/onceproof.yml')).toContain(
    '- run: pnpm install --frozen-lockfile\n      - run: npx onceproof\n',
  )
})

it('init with a file writes only that file, and overwrites nothing', async () => {
  const [cwd, other] = [project(), project()]
  const { code, stdout } = await onceproofHere(['init', 'other.ts'], { cwd })
  expect({ code, files: fs.readdirSync(cwd).sort() }).toEqual({ code: 0, files: ['node_modules', 'other.ts'] })
  expect(stdout).toContain('npx onceproof --impl ./other.ts')
  await onceproofHere(['init'], { cwd: other })
  expect(read(cwd, 'other.ts').replaceAll('other', 'my-layer')).toBe(read(other, 'my-layer.ts'))
  write(cwd, 'mine.ts', 'precious')
  expect(await onceproofHere(['init', 'mine.ts'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'onceproof: mine.ts: exists already; choose another name or remove it\n',
  })
  expect(read(cwd, 'mine.ts')).toBe('precious')
})

it('init overwrites nothing', async () => {
  const cwd = project()
  const kept = {
    'my-layer.ts': 'precious',
    'onceproof.config.mjs': 'precious too',
    'package.json': '{"scripts":{"onceproof":"mine"}}',
    '.github/workflows/onceproof.yml': 'mine as well',
  }
  for (const [file, text] of Object.entries(kept)) write(cwd, file, text)
  const { code, stdout } = await onceproofHere(['init'], { cwd })
  expect(code).toBe(0)
  expect(stdout.match(/^kept: /gm)).toHaveLength(4)
  for (const [file, text] of Object.entries(kept)) expect(read(cwd, file)).toBe(text)
  expect(fs.readdirSync(cwd).sort()).toEqual([
    '.github',
    'my-layer.ts',
    'node_modules',
    'onceproof.config.mjs',
    'package.json',
  ])
})

it('init does not change a manifest that is not JSON', async () => {
  const cwd = project()
  write(cwd, 'package.json', '{,}')
  const { code, stderr } = await onceproofHere(['init'], { cwd })
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'onceproof: package.json: not valid JSON; fix it first\n' })
  expect(read(cwd, 'package.json')).toBe('{,}')
})
