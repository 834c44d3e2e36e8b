import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { endingWithParent } from '../ending-with-parent.ts'
import { freePort } from '../free-port.ts'

/** A redis-server on a port of 127.0.0.1 that keeps nothing on disk. */
export interface RedisProcess {
  readonly port: number
  /** Kills the server. It loses all its data, and its port can be used again. */
  stop(): Promise<void>
}

/** The path of a program, as the shell finds it; undefined if it is missing. */
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
 * Resolves when the server accepts connections. `more` holds options of redis.conf, `--name value`.
 * `on` is the port, by default a free one. @throws Error if the server ends at once
 */
export async function startRedis(program: string, more: readonly string[] = [], on?: number): Promise<RedisProcess> {
  const port = on ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'onceproof-redis-'))
  const options = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...more],
  ]
  const child = spawn(...endingWithParent(program, options), { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => {
    // A server that is stopped or busy with a script reacts to nothing else.
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  // This process may end at once.
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('Ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`redis-server ended at once:\n${log}`)))
  })
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await ended
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
