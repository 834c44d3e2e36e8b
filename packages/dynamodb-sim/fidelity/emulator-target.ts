import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { createRequire } from 'node:module'
import { endingWithParent, freePort } from 'test-servers'
import { type Call, comparable, type Outcome, type Target } from './call.ts'
import { authorization } from './request-text.ts'

/**
 * Thrown if dynalite crashed or does not answer. Some calls crash dynalite. Its stored data is then
 * lost.
 */
export class JudgeDied extends Error {}

/**
 * The judge of the comparison: dynalite, an independent emulator of the service, in a separate
 * process.
 */
export class EmulatorTarget implements Target {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  #child: ChildProcess | null = null
  #port = 0

  static async start(): Promise<EmulatorTarget> {
    const target = new EmulatorTarget()
    await target.restart()
    return target
  }

  async restart(): Promise<void> {
    await this.close()
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    this.#port = await freePort()
    const program = createRequire(import.meta.url).resolve('dynalite/cli.js')
    const options = [
      '--host',
      '127.0.0.1',
      '--port',
      String(this.#port),
      '--createTableMs',
      '0',
      '--deleteTableMs',
      '0',
    ]
    const child = spawn(...endingWithParent(process.execPath, [program, ...options]), {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#child = child
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => {
        throw new Error('dynalite exited immediately; install it')
      }),
    ])
  }

  /** @throws JudgeDied */
  call({ operation, input }: Call): Promise<Outcome> {
    const body = JSON.stringify(input)
    const headers = {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20260101T000000Z',
      Authorization: authorization,
      'Content-Length': Buffer.byteLength(body),
    }
    const options = { port: this.#port, host: '127.0.0.1', method: 'POST', agent: this.#agent, headers }
    return new Promise((resolve, reject) => {
      const died = () => reject(new JudgeDied(`${operation} ${body}`))
      const request = http.request(options, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part) => parts.push(part))
        response.on('error', died)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode!, body: comparable(JSON.parse(text), operation) })
        })
      })
      // Twenty seconds are far longer than any answer takes.
      request.setTimeout(20_000, () => request.destroy(new Error('no answer')))
      request.on('error', died)
      request.end(body)
    })
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
}
