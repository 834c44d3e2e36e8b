/** Plays a campaign from a program, and returns the document of `onceproof run --json`. */

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { Results } from '../contract/results/results.ts'

/**
 * Options of `simulate`.
 * @example
 * ```ts
 * import type { SimulateOptions } from 'onceproof'
 *
 * const options: SimulateOptions = {
 *   implementation: './my-layer.ts',
 *   scenarios: ['only-*', 'lost-reply'],
 *   runs: 100,
 *   signal: AbortSignal.timeout(300_000),
 * }
 * ```
 */
export interface SimulateOptions {
  /**
   * The layer: an id of the catalogue, a path relative to the working directory, or a `file:` URL.
   */
  readonly implementation: string | URL
  /**
   * The version of the layer that replaces it, one consumer after the other: a rolling upgrade. It
   * is given in the same form as `implementation`.
   */
  readonly withNext?: string | URL
  /** The scenarios: ids, paths, globs or `file:` URLs. Default: the whole catalogue. */
  readonly scenarios?: readonly (string | URL)[]
  /**
   * The number of runs for each scenario. Default: the campaign ends when runs add no new coverage.
   */
  readonly runs?: number
  /** An integer from 0 to 2^32 - 1. Default: 1. */
  readonly seed?: number
  /** The kind of sink. Default: `plain`. */
  readonly sink?: SinkKind
  /** The number of worker threads. Default: one for each core. */
  readonly workers?: number
  /**
   * The folder for reports; its `latest` folder gets the page and the data. Default: no report is
   * kept, and a run that is too long for a token cannot be replayed.
   */
  readonly reports?: string
  /** Aborts the campaign. The promise then rejects with an AbortError, and no report is kept. */
  readonly signal?: AbortSignal
}

/**
 * The campaign could not be played: the layer cannot be loaded, an option is invalid, or the
 * harness has a bug.
 * @example
 * ```ts
 * import { SimulationError, simulate } from 'onceproof'
 *
 * const error = await simulate({ implementation: './missing.ts' }).catch((thrown) => thrown)
 * if (error instanceof SimulationError) console.log(error.exitCode, error.remedy) // 2 …
 * ```
 */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  constructor(
    /** What the error is about: a file, or an option by its name on the command line. */
    readonly culprit: string,
    /** The problem and how to fix it. */
    readonly remedy: string,
    /**
     * 2 if the call is wrong, 3 if the harness failed, 4 if the layer needs a feature that is not
     * simulated.
     */
    readonly exitCode: ExitCode,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}

/**
 * Plays the layer under the scenarios, and resolves to the content of `results.json`; its
 * `exitCode` is the verdict. Prints nothing. The campaign runs in a separate process, because a
 * test runner must not share the clocks, timers and sockets of a simulated process, and because a
 * process can be killed if the layer blocks forever. The same options give the same results, except
 * for `timings`.
 * @throws SimulationError, TypeError for an unknown option
 * @example
 * ```ts
 * import { simulate } from 'onceproof'
 *
 * const { findings } = await simulate({
 *   implementation: '001-get-set',
 *   scenarios: ['key-reuse'],
 *   runs: 20,
 * })
 * for (const { why, replay } of findings) console.log(why, replay)
 * ```
 */
export async function simulate(options: SimulateOptions): Promise<Results> {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`simulate: unknown option ${unknown}; known: ${known.join(', ')}`)
  if (options.reports !== undefined) return play(options, options.reports)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-'))
  try {
    return await play(options, folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const known = ['implementation', 'withNext', 'scenarios', 'runs', 'seed', 'sink', 'workers', 'reports', 'signal']

const program = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

async function play(options: SimulateOptions, reports: string): Promise<Results> {
  const { code, stdout, stderr } = await runProgram([...argumentsOf(options), '--reports', reports], options.signal)
  let document: Results | { readonly error: { readonly culprit: string; readonly remedy: string } }
  try {
    document = JSON.parse(stdout)
  } catch {
    const last = stderr.trim().split('\n').at(-1)
    throw new SimulationError('the simulation', `it ended without results (${code}): ${last}`, 3)
  }
  if (!('error' in document)) return document
  throw new SimulationError(document.error.culprit, document.error.remedy, code as ExitCode)
}

function argumentsOf({
  implementation,
  withNext,
  scenarios = [],
  runs,
  seed,
  sink,
  workers,
  reports,
}: SimulateOptions): string[] {
  const numbers = Object.entries({ runs, seed, workers }).filter(([, value]) => value !== undefined)
  return [
    // `--no-github`, because a violation that a test expects must not become an annotation.
    ...['run', '--no-config', '--no-github', '--json', '--impl', nameOf(implementation)],
    ...(withNext === undefined ? [] : ['--with-next', nameOf(withNext)]),
    ...scenarios.flatMap((one) => ['--scenario', nameOf(one)]),
    ...numbers.flatMap(([name, value]) => [`--${name}`, String(value)]),
    ...(sink === undefined ? [] : ['--sink', sink]),
    ...(reports === undefined ? ['--no-html'] : []),
  ]
}

/** The id or path for the command line: a URL becomes a path. */
export function nameOf(one: string | URL, by = 'simulate'): string {
  if (typeof one !== 'string' && !(one instanceof URL))
    throw new TypeError(
      `${by}: ${util.inspect(one, { depth: -1 })} names nothing; give a path, an id or a URL, as in './my-layer.ts'`,
    )
  return one instanceof URL || one.startsWith('file:') ? fileURLToPath(one) : one
}

interface Ended {
  /** The exit code, or the signal's name. */
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

function runProgram(args: readonly string[], signal?: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    })
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
    const stop = () => child.kill()
    process.once('exit', stop)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('exit', stop)
      resolve({ code: code ?? signal, stdout: stdout(), stderr: stderr() })
    })
  })
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}
