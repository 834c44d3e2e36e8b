/** Waits for a Redis on loopback that is starting. */
import net from 'node:net'

const timeoutMs = 5000
const soonMs = 1000

/** Resolves to null once a PING is answered; on timeout, to a sentence with the error. */
export async function answers(port: number): Promise<string | null> {
  const until = performance.now() + timeoutMs
  while (performance.now() < until) {
    if (await answersAt(port)) return null
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return `it does not answer within ${timeoutMs} ms`
}

/** Resolves to true if a PING to a port of this machine is answered soon. */
export function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.on('data', (data) => {
      socket.destroy()
      resolve(data.toString().startsWith('+PONG'))
    })
    socket.setTimeout(soonMs, () => socket.destroy())
    socket.on('error', () => resolve(false))
    // A close counts as no answer: an engine may accept connections for a container's port before
    // the server inside listens.
    socket.on('close', () => resolve(false))
  })
}
