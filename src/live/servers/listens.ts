/**
 * Whether somebody listens there: of a server that is not ours, no process says whether it lives.
 */
import net from 'node:net'
import type { Address } from '../proxy/link-proxy.ts'

/** How long it has to take a connection. */
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
