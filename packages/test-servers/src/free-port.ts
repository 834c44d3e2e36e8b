/** Finds ports for real servers of tests, comparisons and live runs. */
import { createServer } from 'node:net'

/**
 * The range is below the ephemeral ports (from 32768 on Linux, 49152 elsewhere). An ephemeral port
 * could be taken by another connection before the server starts or while it is dead. A client that
 * reconnects to a dead server could even get the server's port as its own local port, and would
 * then talk to itself.
 */
const range = { from: 10_000, below: 21_000 }

const given = new Set<number>()

/**
 * An unused port of 127.0.0.1 that this process has not returned before. ~
 * @throws Error if this process cannot listen on 127.0.0.1
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.from + Math.floor(Math.random() * (range.below - range.from))
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

/**
 * True if this process can listen on that port of the address.
 * @throws Error if the address cannot be used
 */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
