import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { endingWithParent } from '../ending-with-parent.ts'
import { freePort } from '../free-port.ts'
import { running } from '../running.ts'

/** A redis-server on a loopback port. */
export interface RedisProcess {
  readonly port: number
  /** Sends SIGSTOP: the server executes nothing, and its connections stay open. */
  pause(): void
  /** Sends SIGCONT. */
  resume(): void
  /** Sends SIGKILL. Resolves when the process has ended. Its folder stays if the caller gave it. */
  kill(): Promise<void>
  /** Ends the server like `kill`, for a test or comparison that no longer needs it. */
  stop(): Promise<void>
  /** Why the process ended by itself; null if it did not. */
  readonly endedByItself: string | null
}

export interface RedisStart {
  /** The address on which the server listens; 127.0.0.1 if missing. */
  readonly host?: string
  /** The server's port; a free one if missing. */
  readonly port?: number
  /**
   * The server's working folder. If missing, the server gets a temporary one, which is removed with
   * the process.
   */
  readonly folder?: string
  /** Replaces the arguments of the program, for example by a redis.conf file and `--sentinel`. */
  readonly commandLine?: readonly string[]
}

/** The path of a program, found like the shell does; undefined if missing. */
export function findProgram(name: string): string | undefined {
  const candidates = name.includes('/')
    ? [name]
    : (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, name))
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Ends a server that is no longer needed. Redis does not handle this signal and no other program
 * sends it, so the exit differs from that of a server that ended by itself just before. Source:
 * `setupSignalHandlers` in server.c, `watchdogSignalHandler` (SIGALRM) in debug.c.
 */
const endSignal = 'SIGVTALRM'

const ready = /Ready to accept connections|Sentinel ID is/

/**
 * Resolves when the server accepts connections. The server stores nothing on disk unless `more`
 * (options of redis.conf as `--name value`) changes that.
 * @throws Error if the server ends at once
 */
export async function startRedis(
  program: string,
  more: readonly string[] = [],
  { host = '127.0.0.1', port: given, folder: kept, commandLine }: RedisStart = {},
): Promise<RedisProcess> {
  const port = given ?? (await freePort())
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'onceproof-redis-'))
  const options = [
    ...['--port', String(port), '--bind', host, '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...more],
  ]
  const child = spawn(...endingWithParent(program, commandLine ?? options), { stdio: ['ignore', 'pipe', 'inherit'] })
  let isKilled = false
  let endedByItself: string | null = null
  const removeFolder = () => kept ?? rmSync(folder, { recursive: true, force: true })
  const killAtExit = () => {
    child.kill('SIGKILL')
    removeFolder()
  }
  running.add(killAtExit)
  child.once('exit', (code, signal) => {
    running.delete(killAtExit)
    if (!isKilled && signal !== endSignal) endedByItself = signal ?? `exit ${code}`
  })
  await whenReady(child)
  const end = async (signal: NodeJS.Signals) => {
    await ended(child, () => {
      child.kill(signal)
      // A stopped process reacts only to SIGKILL.
      child.kill('SIGCONT')
    })
    removeFolder()
  }
  return {
    port,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill: () => {
      isKilled = true
      return end('SIGKILL')
    },
    stop: () => end(endSignal),
    get endedByItself() {
      return endedByItself
    },
  }
}

async function whenReady(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      if (ready.test(log)) return
      log += chunk.toString()
      if (ready.test(log)) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`redis-server exited immediately:\n${log}`)))
  })
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  end()
  await exit
}
