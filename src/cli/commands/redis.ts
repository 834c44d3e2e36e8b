import { randomInt } from 'node:crypto'
import type { RedisEnvironment } from '../../sim/redis/environment.ts'
import { stopSignals } from '../interrupt.ts'
import type { Output } from '../output.ts'
import { openRedisFront, type RedisFront } from '../redis-front.ts'
import { UsageError } from '../usage-error.ts'

export interface RedisOptions {
  readonly port: number
  readonly host: string
  readonly password?: string
}

/** The longest delay that Node's timers take. */
const longestMs = 2 ** 31 - 1

/** `redis`: serves until Ctrl-C or SHUTDOWN. Its document: `{ schemaVersion, host, port }`, once it listens. */
export async function serveRedis(options: RedisOptions, output: Output): Promise<void> {
  let exit = () => {}
  const over = new Promise<void>((resolve) => {
    exit = resolve
    for (const signal of stopSignals) process.once(signal, () => resolve())
  })
  const front = await open(options, exit)
  if (output.json) await output.document({ schemaVersion: 1, host: options.host, port: front.port })
  else output.line(`the simulated Redis listens on ${options.host}:${front.port}; Ctrl-C ends it`)
  await over
  await front.close()
}

async function open({ host, port, password }: RedisOptions, exit: () => void): Promise<RedisFront> {
  try {
    return await openRedisFront({ host, port }, { ...realEnvironment(), exit }, { requirepass: password ?? '' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const culprit = `${host}:${port}`
    if (code === 'EADDRINUSE') throw new UsageError(culprit, 'something listens there already; choose another --port')
    if (code === 'EACCES') throw new UsageError(culprit, 'this user may not listen there; choose a --port above 1023')
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new UsageError(culprit, 'this machine has no such address; leave --host out for loopback')
    throw error
  }
}

/** The machine's clock, timers and chance. Each command that is not simulated is named once on standard error. */
function realEnvironment(): RedisEnvironment {
  const told = new Set<string>()
  return {
    nowUs: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
    random: (n) => randomInt(n),
    schedule: (delayUs, callback) => {
      let timer: NodeJS.Timeout
      const wait = (leftMs: number) => {
        timer = setTimeout(
          () => (leftMs > longestMs ? wait(leftMs - longestMs) : callback()),
          Math.min(leftMs, longestMs),
        )
      }
      wait(delayUs / 1000)
      return () => clearTimeout(timer)
    },
    unsupported: (what) => {
      if (told.has(what) || told.size === 1000) return
      told.add(what)
      process.stderr.write(`onceproof: not simulated: ${what}\n`)
    },
  }
}
