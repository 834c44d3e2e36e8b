/** Adds to an article's adapter the branch for a message whose header has no key. */
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import type { Sink } from '../../src/contract/api/sink.ts'

export function saysWithoutKey(
  layer: Implementation,
  said: Required<Pick<Implementation, 'id' | 'about' | 'withoutKey'>>,
  handleKeyless: (message: Message, sink: Sink) => Promise<Outcome>,
): Implementation {
  return defineImplementation({
    ...layer,
    ...said,
    async create(context) {
      const handler = await layer.create(context)
      return {
        ...handler,
        handle: (message) => (message.keyless ? handleKeyless(message, context.sink) : handler.handle(message)),
      }
    },
  })
}
