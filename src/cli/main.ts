/**
 * Runs the command line and ends the process with its exit code. An error is printed as
 * `onceproof: <culprit>: <remedy>`, or with `--json` as a JSON document.
 */

import { CommanderError } from 'commander'
import { LoadError } from 'virtual-node/runtime'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import { launcher } from '../contract/results/launcher.ts'
import { visibleLines } from '../contract/results/visible.ts'
import { commandLine } from './command-line.ts'
import { commandNames } from './command-table.ts'
import { usageOfCommander } from './commander-usage.ts'
import { suggestion } from './nearest.ts'
import { withNewNames } from './old-names.ts'
import { type Output, openOutput, outputWritten } from './output.ts'
import { withSourcePositions } from './source-positions.ts'
import { listenForUnhandledErrors, unhandledErrorText } from './unhandled-errors.ts'
import { exitCodeWithUnwritten, forgetUnwritten } from './unwritten.ts'
import { UsageError, usageOf } from './usage-error.ts'

const bug = 'this is a bug of onceproof'

/** Runs one command, and ends the process with its exit code when all output is written. */
export async function main(argv: readonly string[]): Promise<never> {
  listenForUnhandledErrors((text) => complain({ culprit: bug, remedy: text }))
  const exitCode = await exitCodeOf(argv)
  await outputWritten()
  process.exit(unhandledErrorText() === null ? exitCode : exitCodes.harness)
}

/** Runs one command, and prints its error, if there is one. */
export async function exitCodeOf(argv: readonly string[]): Promise<number> {
  forgetUnwritten()
  const output = openOutput(argv.includes('--json'))
  let exitCode: ExitCode = exitCodes.ok
  try {
    await runCommand(argv, output, (code) => (exitCode = code))
  } catch (error) {
    exitCode = await report(error, output)
  }
  // After this, streams have reported failed writes.
  await new Promise((resolve) => setImmediate(resolve))
  return exitCodeWithUnwritten(exitCode)
}

/**
 * Runs one command. Calls `exit` with its exit code, if it returns one. @throws UsageError and
 * other errors, see `problemOf`
 */
export async function runCommand(
  argv: readonly string[],
  output: Output,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const args = withNewNames(withCommand(argv), (line) => process.stderr.write(`${line}\n`))
  await commandLine(output, exit).parseAsync(checked(args), { from: 'user' })
}

/** The culprit and the remedy of a mistake of the user; null for any other error. */
export function problemOf(error: unknown): { culprit: string; remedy: string } | null {
  return usageOf(error) ?? usageOfCommander(error)
}

/** `sim`, a leading `--`, and a missing command all mean `run`. */
export function withCommand(argv: readonly string[]): string[] {
  let from = 0
  while (argv[from] === '--' || argv[from] === 'sim') from++
  const args = argv.slice(from)
  const [first] = args
  if (first === undefined) return ['run']
  return first.startsWith('-') && !['-h', '--help', '-V', '--version'].includes(first) ? ['run', ...args] : args
}

function checked(args: readonly string[]): readonly string[] {
  const [command = ''] = args
  if (command.startsWith('-') || command === 'help' || commandNames.includes(command)) return args
  throw new UsageError(`command ${command}`, suggestion(command, commandNames, `\`${launcher()} --help\` lists all`))
}

async function report(error: unknown, output: Output): Promise<ExitCode> {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok
  const usage = problemOf(error)
  const problem = usage ?? { culprit: bug, remedy: describe(error) }
  if (output.json) await output.document({ schemaVersion: 1, error: problem })
  else complain(problem)
  if (usage === null) return exitCodes.harness
  return error instanceof LoadError && error.kind === 'not-simulated' ? exitCodes.unknown : exitCodes.usage
}

function complain({ culprit, remedy }: { readonly culprit: string; readonly remedy: string }): void {
  process.stderr.write(visibleLines(`onceproof: ${culprit}: ${remedy}\n`))
}

function describe(error: unknown): string {
  return error instanceof Error ? withSourcePositions(error.stack ?? error.message) : String(error)
}
