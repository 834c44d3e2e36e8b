/** `run --watch`: plays a campaign, and plays it again whenever a watched file changes. */

import { spawn } from 'node:child_process'
import path from 'node:path'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { isProgram } from '../../contract/api/program-name.ts'
import { versionsOf } from '../../contract/api/two-versions.ts'
import { programFiles } from '../../exec/program-files.ts'
import { packageFolder } from '../catalogue.ts'
import { configFile } from '../config.ts'
import { createDeps } from '../create-deps.ts'
import { stopSignals } from '../interrupt.ts'
import { lastFailed } from '../last-failed.ts'
import type { Output } from '../output.ts'
import { select, selectVersions } from '../select.ts'
import { UsageError } from '../usage-error.ts'
import { digestOf, onChange, ownFiles } from '../watched-files.ts'
import type { RunOptions } from './run.ts'

/**
 * Watches until Ctrl-C. Each campaign runs in a separate process, so that no code from before a
 * change stays loaded.
 * @throws UsageError
 */
export async function watch(options: RunOptions, output: Output): Promise<ExitCode> {
  if (output.json) throw new UsageError('--watch and --json', '--json prints a single document; give only one of them')
  if (options.shard !== undefined) throw new UsageError('--watch and --shard', 'give only one of them')
  let roots = await rootsOf(options)
  const rounds = new Rounds(process.argv.slice(2).filter((arg) => arg !== '--watch'))
  const files = await ownFiles(roots)
  if (files.length === 0) throw new UsageError('--watch', 'no files to watch; name a layer by its path')
  let digest = digestOf(files)
  await rounds.play([])
  while (!rounds.over) {
    output.line(`watching ${files.length === 1 ? '1 file' : `${files.length} files`}; stop it with Ctrl-C`)
    await rounds.untilChange(files, digest)
    if (rounds.over) break
    // The config or the globs may select other files now. If they cannot be read, the previous
    // files are watched.
    roots = await rootsOf(options).catch(() => roots)
    files.splice(0, files.length, ...(await ownFiles(roots)))
    digest = digestOf(files)
    const changing = onChange(files, digest, () => rounds.interrupt())
    const failed = lastFailed(options.reports)?.size ?? 0
    const holds = failed === 0 || (await rounds.play(['--last-failed'])) === exitCodes.ok
    if (holds && !rounds.over && digestOf(files) === digest) await rounds.play([])
    changing()
  }
  return exitCodes.interrupted
}

/** The files of the layers, the files of the scenarios that the user names, and the config. */
export async function rootsOf({
  impl = ['reference'],
  withNext,
  scenario = [],
  config,
}: RunOptions): Promise<string[]> {
  const deps = createDeps(() => false)
  const layers = await selectVersions(impl, withNext, deps)
  const scenarios = await select('scenario', scenario, deps)
  const ours = config ? configFile() : null
  const named = [...layers, ...scenarios].flatMap(({ path: one }) => versionsOf(one))
  const files = named.flatMap((file) => (isProgram(file) ? programFiles(file) : [file]))
  return [...files, ...(ours === null ? [] : [path.resolve(ours)])]
}

/** Plays one campaign at a time, with the terminal of this process. */
class Rounds {
  over = false
  #child: ReturnType<typeof spawn> | null = null
  #wake: (() => void) | null = null

  constructor(private readonly args: readonly string[]) {
    for (const signal of stopSignals)
      process.on(signal, () => {
        this.over = true
        this.interrupt()
        this.#wake?.()
      })
  }

  /** Interrupts the campaign as Ctrl-C does: the results so far are written. */
  interrupt(): void {
    this.#child?.kill('SIGINT')
  }

  play(more: readonly string[]): Promise<number | null> {
    const program = path.join(packageFolder, 'bin/onceproof.mjs')
    const child = spawn(process.execPath, [program, ...this.args, ...more], { stdio: 'inherit' })
    this.#child = child
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => {
        this.#child = null
        resolve(code)
      })
    })
  }

  untilChange(files: readonly string[], digest: string): Promise<void> {
    return new Promise((resolve) => {
      const stop = onChange(files, digest, resolve)
      this.#wake = () => {
        stop()
        resolve()
      }
    })
  }
}
