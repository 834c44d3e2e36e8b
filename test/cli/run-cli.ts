import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliContext {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** SIGINT is sent once standard output contains this text. */
  readonly interruptAt?: string
}

/** Makes a campaign find no real server and compare nothing. */
export const withoutServers = { PATH: '/nowhere', POSTGRES_PROGRAMS: '/nowhere' } as const

/** Runs the real binary in a process, only for tests of processes. Other tests use run-here.ts. */
export function onceproof(args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  return onceproofOf(packageFolder, args, context)
}

/** Runs the binary of a copy of the package. */
export function onceproofOf(copy: string, args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [path.join(copy, 'bin/onceproof.mjs'), ...args], {
    cwd: context.cwd ?? temporaryFolder(),
    // Only tests of GitHub annotations set these.
    env: { ...process.env, GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', ...context.env },
  })
  let stdout = ''
  let stderr = ''
  let interrupted = false
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    if (interrupted || context.interruptAt === undefined || !stdout.includes(context.interruptAt)) return
    interrupted = true
    child.kill('SIGINT')
  })
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

/** A new empty folder that is removed after all tests. */
export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-test-'))
}

/** Writes a file to a folder. Returns its path. */
export function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}
