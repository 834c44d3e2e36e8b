/**
 * Every effect in doubt that has a record. There is no index of them, which every effect would pay
 * for: all keys of all primaries are scanned, and the state of each record is read.
 */
import { type KeyInDoubt, statusOf } from './key-status.ts'
import type { Layer } from './layer.ts'

export async function* listDoubts(layer: Layer): AsyncGenerator<KeyInDoubt, void> {
  for await (const keys of layer.lookup.begun()) {
    for (const key of keys) {
      const found = await statusOf(layer, key)
      if (found.status === 'unreachable') throw found.error
      if (found.status === 'in-doubt') yield found.doubt
    }
  }
}
