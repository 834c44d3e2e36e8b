import type { Reply } from '../resp/reply.ts'
import type { Channel } from './channel.ts'
import type { Watched } from './instance.ts'

/**
 * Sends a command on a channel to an instance. The reply is ignored if the instance is no longer
 * watched.
 */
export function ask(
  one: Watched,
  channel: Channel,
  words: readonly (string | number)[],
  answered: (reply: Reply) => void,
): void {
  const { link } = one
  link.pending++
  channel.send(words, (reply) => {
    link.pending--
    if (!one.released) answered(reply)
  })
}
