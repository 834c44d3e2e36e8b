/**
 * The command line from its compiled code, in a process that runs one command after the other: loading that code, and having
 * V8 compile it, costs more than most campaigns of tests do. What is about processes is run-cli.ts's: streams, signals,
 * threads, the environment, and that two of them come to the same.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { lateTierUp } from '../tier-up.ts'
import { type CliContext, type CliResult, temporaryFolder } from './run-cli.ts'

let running: ChildProcess | null = null
let last: Promise<unknown> = Promise.resolve()

/** Waits for the commands that were given before. */
export function inTurn(args: readonly string[], { cwd = temporaryFolder() }: Pick<CliContext, 'cwd'> = {}) {
  const result = last.then(() => ask({ args, cwd }))
  last = result.catch(() => {})
  return result
}

/** @throws where the process ends in the middle of it */
async function ask(command: { readonly args: readonly string[]; readonly cwd: string }): Promise<CliResult> {
  running ??= start()
  const child = running
  const answered = new AbortController()
  const ended = once(child, 'exit', answered).then(([code, signal]) => {
    throw new Error(`onceproof ${command.args.join(' ')} ended its process: ${code ?? signal}`)
  })
  child.send(command)
  const [result] = await Promise.race([once(child, 'message', answered), ended]).finally(() => answered.abort())
  return result as CliResult
}

function start(): ChildProcess {
  const child = fork(fileURLToPath(new URL('turns.mjs', import.meta.url)), [], {
    execArgv: lateTierUp,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '' },
  })
  child.once('exit', () => (running = null))
  return child
}
