/** Where a server of our own can listen: real ones, for fidelity and live runs. */
import { createServer } from 'node:net'

/**
 * Below the ports that systems hand out to dialling sockets (from 32768 on Linux, 49152 elsewhere). Of one of those somebody
 * else's connection may take hold before the server starts, or while it is dead; a client that dials a dead one again and
 * again can even be given the very port as its own, and then talks to itself.
 */
const range = { from: 10_000, below: 21_000 }

const given = new Set<number>()

/** An unused port of 127.0.0.1 that this process has not returned before. @throws if 127.0.0.1 cannot be listened on */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.below - range.from))
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
