import { listen, type RedisTcpServer } from 'redis-sim/tcp'
import type { OptionsOf } from '../command-table.ts'
import { stopSignals } from '../interrupt.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

type RedisOptions = OptionsOf<'redis'>

/**
 * `redis`: serves the simulated Redis until Ctrl-C or SHUTDOWN. When it listens, it prints the JSON
 * document `{ schemaVersion, host, port }`.
 */
export async function serveRedis(options: RedisOptions, output: Output): Promise<void> {
  let exit = () => {}
  const over = new Promise<void>((resolve) => {
    exit = resolve
    for (const signal of stopSignals) process.once(signal, () => resolve())
  })
  const front = await open(options, exit)
  if (output.json) await output.document({ schemaVersion: 1, host: options.host, port: front.port })
  else output.line(`the simulated Redis listens on ${options.host}:${front.port}; stop it with Ctrl-C`)
  await over
  await front.close()
}

async function open({ host, port, password }: RedisOptions, exit: () => void): Promise<RedisTcpServer> {
  try {
    const environment = { unsupported: unsupportedOnce(), exit }
    return await listen({ host, port, environment, config: { requirepass: password ?? '' } })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const culprit = `${host}:${port}`
    if (code === 'EADDRINUSE') throw new UsageError(culprit, 'the port is in use; choose another --port')
    if (code === 'EACCES') throw new UsageError(culprit, 'not permitted for this user; choose a --port above 1023')
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new UsageError(culprit, 'not an address of this machine; remove --host to use loopback')
    throw error
  }
}

/** Returns a function that prints each unsupported command only once. */
function unsupportedOnce(): (what: string) => void {
  const printed = new Set<string>()
  return (what) => {
    if (printed.has(what) || printed.size === 1000) return
    printed.add(what)
    process.stderr.write(`onceproof: not simulated: ${what}\n`)
  }
}
