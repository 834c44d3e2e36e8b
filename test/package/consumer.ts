/** The packed artifacts in an empty folder, as a user of the package has them. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder, write } from '../cli/run-cli.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Artifacts {
  readonly onceproof: string
  readonly once: string
}

/** The inputs of packing. */
const packedFrom = [
  ...[
    'bin',
    'docs',
    'examples',
    'implementations',
    'lua',
    'observability',
    'packages',
    'packaging',
    'scenarios',
    'src',
    'package.json',
  ],
  ...['tsconfig.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
]

/**
 * Packs both packages as a release does, with their `prepack`. It packs a copy, so that no other
 * test loses its `dist`.
 */
export async function pack(): Promise<Artifacts> {
  const copy = temporaryFolder()
  for (const name of packedFrom) fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  const packed = async (from: string): Promise<string> => {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', copy], from)
    return path.join(copy, stdout.trim().split('\n').at(-1)!)
  }
  const [onceproof, once] = await Promise.all([packed(copy), packed(path.join(copy, 'packages/once'))])
  return { onceproof, once }
}

/** Creates a folder with a manifest and runs `npm install` in it. */
export async function install(packages: readonly string[]): Promise<string> {
  const folder = temporaryFolder()
  write(folder, 'package.json', JSON.stringify({ name: 'consumer', private: true }))
  await add(packages, folder)
  return folder
}

export async function add(packages: readonly string[], folder: string): Promise<void> {
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], folder)
}

/** The version of a development dependency of this project, for `npm install`. */
export function sameVersion(name: string): string {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return `${name}@${version}`
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** @throws if its exit code is not 0 */
export async function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  const ran = await tryRun(program, args, cwd)
  if (ran.code === 0) return ran
  throw new Error(`${program} ${args.join(' ')} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`)
}

const execute = promisify(execFile)

export async function tryRun(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  // Vitest sets these variables for its processes. The processes of a user do not have them.
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, FORCE_COLOR: ____, ...inherited } = process.env
  const env = { ...inherited, NODE_EXTRA_CA_CERTS: inherited.ONCEPROOF_TESTS_CA_CERTS, NO_COLOR: '1' }
  const done = await execute(program, args, { cwd, env, maxBuffer: 2 ** 26 }).catch((error) => error)
  return { code: done.code ?? 0, stdout: done.stdout, stderr: done.stderr }
}
