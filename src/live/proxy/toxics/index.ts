import { bandwidth } from './bandwidth.ts'
import { pass, type ToxicKind } from './kind.ts'
import { latency } from './latency.ts'
import { limitData } from './limit-data.ts'
import { resetPeer } from './reset-peer.ts'
import { slicer } from './slicer.ts'
import { slowClose } from './slow-close.ts'
import { timeout } from './timeout.ts'

/** Toxics by the names that the HTTP API has for them. */
export const kinds: ReadonlyMap<string, ToxicKind> = new Map<string, ToxicKind>([
  ['bandwidth', bandwidth],
  ['latency', latency],
  ['limit_data', limitData],
  ['noop', { attributes: [], join: () => pass }],
  ['reset_peer', resetPeer],
  ['slicer', slicer],
  ['slow_close', slowClose],
  ['timeout', timeout],
])
