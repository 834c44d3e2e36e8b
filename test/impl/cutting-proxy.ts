/**
 * A TCP proxy before a real Redis that loses replies on demand. Fault model: of commands whose bytes contain a given
 * text it passes the request on and, when the reply comes, resets the connection instead of handing it over; or it
 * swallows requests and keeps the connection open. Left out: latency, and cuts within a reply.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly port: number
  /** Loses the replies of the next `times` commands that contain the text. */
  loseRepliesOf(text: string, times: number): void
  /** From now on nothing gets through in either direction, though connections stay open; `false` heals. */
  silence(on: boolean): void
  readonly lost: number
  close(): void
}

export async function cuttingProxy(toPort: number): Promise<CuttingProxy> {
  const plan = { text: '', left: 0, lost: 0, silent: false }
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1')
    let losing = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (bytes) => {
      if (plan.silent) return
      if (plan.left > 0 && bytes.includes(plan.text)) {
        plan.left--
        losing = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (plan.silent) return
      if (!losing) return void client.write(bytes)
      plan.lost++
      client.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    loseRepliesOf(text, times) {
      plan.text = text
      plan.left = times
    },
    silence: (on) => void (plan.silent = on),
    get lost() {
      return plan.lost
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
