import net from 'node:net'

/**
 * Measures the longest time in milliseconds without arrivals on loopback while a byte is sent every
 * millisecond. A busy system delivers bytes late, and then all at once, even if this process was
 * not delayed.
 */
export async function watchLoopback(): Promise<{ stop(): number }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {}) // bytes in flight at the end
    socket.setNoDelay().pipe(socket)
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1').setNoDelay()
  await new Promise<void>((connected) => void socket.once('connect', connected))
  let longestMs = 0
  let heardMs = performance.now()
  const heard = (): void => {
    longestMs = Math.max(longestMs, performance.now() - heardMs)
    heardMs = performance.now()
  }
  const send = () => socket.destroyed || socket.write('.')
  socket.on('data', () => {
    heard()
    setTimeout(send, 1)
  })
  send()
  return {
    stop() {
      heard()
      socket.destroy()
      server.close()
      return longestMs
    },
  }
}
