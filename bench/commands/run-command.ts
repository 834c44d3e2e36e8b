/** Runs one command of a checkout from its start to its end, as a user would. */

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { exitCodes } from '../../src/contract/api/exit-codes.ts'
import { ChildError } from '../children.ts'
import { plainEnvironment } from '../plain-environment.ts'

export interface CommandRun {
  readonly folder: string
  readonly args: readonly string[]
  /** Called with each line of standard output and standard error, and its time in milliseconds. */
  readonly line?: (text: string, atMs: number) => void
}

export interface CommandCosts {
  readonly wallMs: number
  /** User and system time of the command and of all children that it waited for. */
  readonly cpuMs: number
  readonly exitCode: number
}

/**
 * A shell script that runs a command and prints its times. `times` includes the time of children.
 * Node has no equivalent.
 */
const timed = '"$@"; code=$?; times >&3; exit $code'

/**
 * Runs the command.
 * @throws ChildError if the command ended with an error instead of a verdict
 */
export async function runCommand({ folder, args, line = () => {} }: CommandRun): Promise<CommandCosts> {
  const program = path.join(folder, 'bin', 'onceproof.mjs')
  const started = performance.now()
  const child = spawn('sh', ['-c', timed, 'sh', process.execPath, program, ...args], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let said = ''
  let times = ''
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream! }).on('line', (text) => {
      said = text
      line(text, performance.now() - started)
    })
  child.stdio[3]!.on('data', (bytes: Buffer) => void (times += bytes))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const exitCode = code ?? -1
  // The exit codes of a verdict: the layer held, a layer broke, or goals were not reached.
  if (![exitCodes.ok, exitCodes.violated, exitCodes.unknown].some((one) => one === exitCode))
    throw new ChildError(`\`sim ${args.join(' ')}\` in ${folder} ended with ${exitCode}: ${said}`, 'Exit')
  return { wallMs: performance.now() - started, cpuMs: childrenMs(times), exitCode }
}

/**
 * Parses the second line of the output of `times`, which is the time of the children, such as
 * `1m2.50s 0m0.25s`.
 */
export function childrenMs(times: string): number {
  const amounts = [...(times.trim().split('\n')[1] ?? '').matchAll(/(\d+)m([\d.,]+)s/g)]
  if (amounts.length !== 2) throw new Error(`what \`times\` printed cannot be read: ${times}`)
  return amounts.reduce((sum, [, m, s]) => sum + (Number(m) * 60 + Number(s!.replace(',', '.'))) * 1000, 0)
}

/** Provides a temporary folder for reports while `use` runs. */
export async function withReports<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-bench-'))
  try {
    return await use(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
