/** The command line: arguments in, exit code out, and every error in one form: `onceproof: <culprit>: <remedy>`. */
import { CommanderError } from 'commander'
import { exitCodes } from '../contract/results.ts'
import { launcher } from '../launcher.ts'
import { commandLine, commandNames } from './command-line.ts'
import { usageOfCommander } from './commander-usage.ts'
import { suggestion } from './nearest.ts'
import { type Output, openOutput } from './output.ts'
import { withSourcePositions } from './source-positions.ts'
import { UsageError, usageOf } from './usage-error.ts'

/** Runs one command and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<never> {
  const args = withCommand(argv)
  const output = openOutput(args.includes('--json'))
  let exitCode: number = exitCodes.ok
  try {
    await commandLine(output, (code) => (exitCode = code)).parseAsync(checked(args), { from: 'user' })
  } catch (error) {
    exitCode = await report(error, output)
  }
  process.exit(exitCode)
}

/** `sim`, a leading `--`, and no command at all are all `run`. */
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
  throw new UsageError(
    `command ${command}`,
    suggestion(command, commandNames, `\`${launcher()} --help\` names them all`),
  )
}

async function report(error: unknown, output: Output): Promise<number> {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok
  const usage = usageOf(error) ?? usageOfCommander(error)
  const problem = usage ?? { culprit: 'this is a bug of onceproof', remedy: describe(error) }
  if (output.json) await output.document({ schemaVersion: 1, error: problem })
  else process.stderr.write(`onceproof: ${problem.culprit}: ${problem.remedy}\n`)
  return usage === null ? exitCodes.harness : exitCodes.usage
}

function describe(error: unknown): string {
  return error instanceof Error ? withSourcePositions(error.stack ?? error.message) : String(error)
}
