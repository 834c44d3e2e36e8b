/** Checks that a server listens. For a server that is not ours, this is the only sign of life. */
import net from 'node:net'
import type { Address } from '../proxy/link-proxy.ts'

/** How long it may take to accept a connection. */
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
