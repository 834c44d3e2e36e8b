/**
 * Runs commands in this process, which is the default in tests: Node takes longer to start than
 * most campaigns of tests. Tests of processes (streams, signals, threads) use run-cli.ts.
 */
import { catalogue } from '../../src/cli/catalogue.ts'
// A call loads its command. All are loaded here before the tests, which have a time limit.
import '../../src/cli/commands/canaries.ts'
import '../../src/cli/commands/replay-live.ts'
import '../../src/cli/commands/corpus-add.ts'
import '../../src/cli/commands/configurations.ts'
import '../../src/cli/commands/explore.ts'
import '../../src/cli/commands/init.ts'
import '../../src/cli/commands/list.ts'
import '../../src/cli/commands/live.ts'
import '../../src/cli/commands/matrix.ts'
import '../../src/cli/commands/merge.ts'
import '../../src/cli/commands/once.ts'
import '../../src/cli/commands/redis.ts'
import '../../src/cli/commands/replay.ts'
import '../../src/cli/commands/run.ts'
import '../../src/cli/commands/tune.ts'
import '../../src/cli/commands/watch.ts'
import '../../src/cli/commands/worker.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import { exitCodeOf } from '../../src/cli/main.ts'
import { type CliResult, temporaryFolder, withoutServers } from './run-cli.ts'

export interface HereContext {
  /** By default, an empty folder. */
  readonly cwd?: string
  /** Lets the command find the real servers of this machine and compare with them. */
  readonly servers?: true
  readonly env?: Readonly<Record<string, string>>
}

const everywhere = { GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '' }

for (const { path } of catalogue('scenario')) await loadScenario(path)

let last: Promise<unknown> = Promise.resolve()

/** Runs a command after the previous ones, and restores the state of this process. */
export function onceproofHere(args: readonly string[], context: HereContext = {}): Promise<CliResult> {
  const result = last.then(() => run(args, context))
  last = result.catch(() => {})
  return result
}

async function run(
  args: readonly string[],
  { cwd = temporaryFolder(), servers, env }: HereContext,
): Promise<CliResult> {
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)]
  const restoreEnvironment = setEnvironment({ ...everywhere, ...(servers ? {} : withoutServers), ...env })
  const folder = process.cwd()
  process.chdir(cwd)
  try {
    const code = await exitCodeOf(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.chdir(folder)
    restoreEnvironment()
    stdout.restore()
    stderr.restore()
  }
}

/** Captures the text written to a stream. `restore` also removes listeners of the command. */
function captured(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { write } = stream
  const listeners = stream.listenerCount('error')
  let text = ''
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }
  return {
    text: () => text,
    restore() {
      stream.write = write
      for (const added of stream.listeners('error').slice(listeners)) stream.off('error', added as () => void)
    },
  }
}

/** Returns a function that restores it. */
function setEnvironment(changes: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, changes)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
