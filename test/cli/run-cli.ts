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
  /** Sent once standard output holds this text. */
  readonly interruptAt?: string
}

/** A campaign finds no real server, and compares nothing, whatever is installed. */
export const withoutServers = { PATH: '/nowhere', POSTGRES_PROGRAMS: '/nowhere' } as const

/** Runs the real binary in a process: for tests of processes only. The others use run-here.ts. */
export function onceproof(args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  return onceproofOf(packageFolder, args, context)
}

/** That of a copy of the package. */
export function onceproofOf(copy: string, args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [path.join(copy, 'bin/onceproof.mjs'), ...args], {
    cwd: context.cwd ?? temporaryFolder(),
    // Only tests of GitHub's annotations set these.
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

/** A new empty folder, gone when all tests have ended. */
export function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-test-'))
}

/** Writes a file into a folder; answers its path. */
export function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}
