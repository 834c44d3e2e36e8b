import net from 'node:net'

/**
 * For how long nothing came over loopback, at most, in milliseconds, where something is sent each
 * millisecond: the system carries bytes when it comes to that, and a busy machine comes to it late,
 * though the process itself need not wait. What is sent meanwhile arrives all at once then.
 */
export async function watchLoopback(): Promise<{ stop(): number }> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {}) // what is under way at the end
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
