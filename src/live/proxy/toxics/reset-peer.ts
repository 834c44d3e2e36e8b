import type { ToxicKind } from './kind.ts'

/**
 * Waits for the first chunk, drops it, and closes the connection after `timeout` milliseconds. A connection that began
 * while the toxic was there is closed by RST; one that was open before is closed by FIN, as in Toxiproxy.
 */
export const resetPeer: ToxicKind<'timeout'> = {
  attributes: ['timeout'],
  resets: true,
  join: (attributes) => async (pipe) => {
    if ((await pipe.take()) === 'interrupted') return
    await pipe.sleep(attributes.timeout)
    pipe.close()
  },
}
