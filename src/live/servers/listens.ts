/**
 * Checks that a server listens. For a server that the harness did not start, this is the only sign
 * that it runs.
 */
import net from 'node:net'
import type { Address } from '../proxy/link-proxy.ts'

/** The time that the server may take to accept a connection. */
const timeoutMs = 3_000

export function listens({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port })
    const report = (there: boolean) => () => {
      resolve(there)
      socket.destroy()
    }
    socket.setTimeout(timeoutMs, report(false))
    socket.once('connect', report(true)).once('error', report(false))
  })
}
