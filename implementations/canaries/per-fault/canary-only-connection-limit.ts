import net from 'node:net'
import type { CreateContext } from '../../../src/contract/api/implementation.ts'
import { lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-connection-limit',
    about: 'Performs twice if Redis accepts no more clients.',
    kind: 'connection-limit',
    scenarios: ['everything'],
  },
  async ({ context }) => {
    const greetings = await lookOften(100, () => greeting(context))
    return greetings.some((text) => text.includes('max number of clients'))
  },
)

/** Redis's unsolicited reply to a new client. */
function greeting({ redis: { nodes } }: CreateContext): Promise<string> {
  return new Promise((resolve) => {
    const { host, port } = nodes[0]!
    const socket = net.connect(port, host)
    const done = (text: string): void => {
      resolve(text)
      socket.destroy()
    }
    socket.on('data', (bytes) => done(String(bytes)))
    socket.on('error', () => done(''))
    socket.setTimeout(200, () => done(''))
  })
}
