/**
 * The command line in this process, for what ends before a run is made: a start of Node for each of many mistakes costs more
 * than all else about them. What is about processes (streams, signals, threads) is run-cli.ts's.
 */
import { Writable } from 'node:stream'
import { problemOf, runCommand } from '../../src/cli/main.ts'
import type { Output } from '../../src/cli/output.ts'
import { launcher } from '../../src/launcher.ts'
import { LoadError } from '../../src/sim/runtime/load-error.ts'
import { type CliResult, temporaryFolder } from './run-cli.ts'

// Asked once in a process: here, before the folder is another.
launcher()

/** The mistake as `main` tells it in text mode. @throws where it is none of the user's, or none at all */
export async function refusal(args: readonly string[], cwd: string = temporaryFolder()): Promise<CliResult> {
  let stdout = ''
  const write = (text: string) => void (stdout += text)
  const stream = new Writable({
    write: (chunk, _, done) => {
      write(String(chunk))
      done()
    },
  }) as NodeJS.WriteStream
  const line = (text: string) => write(`${text}\n`)
  const json = args.includes('--json')
  const output: Output = { json, colours: false, stream, line, document: async () => {} }
  const before = process.cwd()
  process.chdir(cwd)
  try {
    await runCommand(args, output, () => {})
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    const stderr = `onceproof: ${problem.culprit}: ${problem.remedy}\n`
    return { code: error instanceof LoadError ? error.exitCode : 2, stdout, stderr }
  } finally {
    process.chdir(before)
  }
  throw new Error(`onceproof ${args.join(' ')} was not refused`)
}
