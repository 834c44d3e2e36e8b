/**
 * A TCP proxy before a real Redis that loses replies on demand. Fault model: of commands whose
 * bytes contain a given text it passes the request on and, when the reply comes, resets the
 * connection instead of handing it over; or it is interrupted before a text, and goes on later or
 * closes the connection there; or it falls silent, holding bytes back in both directions, and hands
 * them on in order when it is healed, as TCP does. Left out: latency, and cuts within a reply.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly port: number
  /** Loses the replies of the next `times` commands that contain the text. */
  loseRepliesOf(text: string, times: number): void
  /**
   * Once: holds back the text and what follows it on that connection until `meanwhile` has
   * resolved, to what becomes of it: passed on, or the connection is closed, and the server gets
   * only what was sent before.
   */
  interruptBefore(text: string, meanwhile: () => Promise<'pass' | 'close'>): void
  /**
   * From now on nothing gets through in either direction, though connections stay open; `false`
   * heals.
   */
  silence(on: boolean): void
  readonly lost: number
  close(): void
}

interface Faults {
  text: string
  left: number
  lost: number
  silent: boolean
  interrupt: { readonly text: string; readonly meanwhile: () => Promise<'pass' | 'close'> } | null
}

export async function cuttingProxy(toPort: number): Promise<CuttingProxy> {
  const faults: Faults = { text: '', left: 0, lost: 0, silent: false, interrupt: null }
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    relay(faults, client, upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    loseRepliesOf(text, times) {
      faults.text = text
      faults.left = times
    },
    interruptBefore(text, meanwhile) {
      faults.interrupt = { text, meanwhile }
    },
    silence(on) {
      faults.silent = on
      // A paused socket reads nothing, so that what was sent waits in the buffers of the operating
      // system.
      for (const socket of sockets) on ? socket.pause() : socket.resume()
    },
    get lost() {
      return faults.lost
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function relay(faults: Faults, client: Socket, upstream: Socket): void {
  let losing = false
  client.on('data', (bytes) => {
    const { interrupt } = faults
    const at = interrupt === null ? -1 : bytes.indexOf(interrupt.text)
    if (interrupt !== null && at >= 0) {
      faults.interrupt = null
      upstream.write(bytes.subarray(0, at))
      client.pause()
      void interrupt.meanwhile().then((then) => {
        if (then === 'close') return void client.resetAndDestroy()
        upstream.write(bytes.subarray(at))
        client.resume()
      })
      return
    }
    if (faults.left > 0 && bytes.includes(faults.text)) {
      faults.left--
      losing = true
    }
    upstream.write(bytes)
  })
  upstream.on('data', (bytes) => {
    if (!losing) return void client.write(bytes)
    faults.lost++
    client.resetAndDestroy()
  })
  if (faults.silent) for (const socket of [client, upstream]) socket.pause()
}
