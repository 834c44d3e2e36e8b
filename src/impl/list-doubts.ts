/**
 * Lists all effects in doubt that have a record. An index of them would cost time in every effect,
 * so this scans all keys of all primaries, and reads the state of each record.
 */
import type { KeyInDoubt } from './in-doubt.ts'
import { statusOf } from './key-status.ts'
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
