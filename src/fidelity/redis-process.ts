import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { endingWithParent } from '../ending-with-parent.ts'
import { freePort } from '../free-port.ts'

/** A redis-server of our own, on a free loopback port, keeping nothing on disk. */
export interface RedisProcess {
  readonly port: number
  stop(): Promise<void>
}

/** The path of a program, as the shell would find it; undefined when there is none. */
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

/** `more`: options of redis.conf, `--name value …`. */
export async function startRedis(program: string, more: readonly string[] = []): Promise<RedisProcess> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'onceproof-redis-'))
  const options = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...more],
  ]
  const child = spawn(...endingWithParent(program, options), { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => {
    // It keeps nothing; and one that is stopped, or busy with a script, hears nothing else.
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  // Also where this process must end at once.
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
