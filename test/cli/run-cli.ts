import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { lateTierUp } from '../tier-up.ts'

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

/** Runs the command line in a process of its own. */
export function onceproof(args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  return onceproofOf(packageFolder, args, context)
}

/** That of a copy of the package. */
export function onceproofOf(copy: string, args: readonly string[], context: CliContext = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [...lateTierUp, path.join(copy, 'bin/onceproof.mjs'), ...args], {
    cwd: context.cwd ?? temporaryFolder(),
    // What is told to GitHub's runners, only the tests of that ask for.
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

/** An empty folder of its own, gone when all tests have ended. */
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
