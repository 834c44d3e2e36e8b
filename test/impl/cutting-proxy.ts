/**
 * A TCP proxy in front of a real Redis that loses replies on request. Its faults: it forwards
 * commands that contain a text and resets the connection at the reply; it stops before a text and
 * continues or closes the connection later; it holds bytes in both directions and forwards them in
 * order when healed, like TCP. Not modeled: latency, and cuts within a reply.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly port: number
  /** Loses the replies of the next `times` commands that contain the text. */
  loseRepliesOf(text: string, times: number): void
  /**
   * Once: holds the text and later bytes on that connection until `meanwhile` resolves. They are
   * then forwarded, or the connection is closed and the server gets only the earlier bytes.
   */
  interruptBefore(text: string, meanwhile: () => Promise<'pass' | 'close'>): void
  /** Blocks both directions while connections stay open; `false` heals. */
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
      // A paused socket reads nothing, so that sent bytes wait in buffers of the operating system.
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
