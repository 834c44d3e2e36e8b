/** A redis-server of the bench's own, on a free loopback port, without persistence. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { freePort } from '../src/free-port.ts'

/** The binary's version line, or null where there is none on the path. */
export function redisServerVersion(): string | null {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

export interface LocalRedis {
  readonly port: number
  stop(): Promise<void>
}

export async function startRedis(): Promise<LocalRedis> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no']
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  await ready(server)
  return {
    port,
    stop() {
      server.kill('SIGTERM')
      return ended
    },
  }
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.once('error', reject)
    server.once('close', (code) => reject(new Error(`redis-server ended with ${code}: ${said.slice(-200)}`)))
    server.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Ready to accept connections')) resolve()
    })
  })
}
