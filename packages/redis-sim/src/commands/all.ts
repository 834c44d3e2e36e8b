import type { Handlers } from '../command.ts'
import { bitfieldHandlers } from './bitfields.ts'
import { bitHandlers } from './bits.ts'
import { clientHandlers } from './client.ts'
import { clientKillHandlers } from './client-kill.ts'
import { clientTrackingHandlers } from './client-tracking.ts'
import { clusterHandlers } from './cluster.ts'
import { configHandlers } from './config.ts'
import { connectionHandlers } from './connection.ts'
import { counterHandlers } from './counters.ts'
import { dumpHandlers } from './dump.ts'
import { expiryHandlers } from './expiry.ts'
import { functionHandlers } from './functions.ts'
import { geoHandlers } from './geo.ts'
import { geoSearchHandlers } from './geo-search.ts'
import { hashCounterHandlers } from './hash-counters.ts'
import { hashRandomHandlers } from './hash-random.ts'
import { hashHandlers } from './hashes.ts'
import { hyperLogLogHandlers } from './hyperloglogs.ts'
import { keyHandlers } from './keys.ts'
import { latencyHandlers } from './latency.ts'
import { lcsHandlers } from './lcs.ts'
import { listPopHandlers } from './list-pops.ts'
import { listPositionHandlers } from './list-positions.ts'
import { listHandlers } from './lists.ts'
import { monitorHandlers } from './monitor.ts'
import { persistenceHandlers } from './persistence.ts'
import { pubsubHandlers } from './pubsub.ts'
import { replicationHandlers } from './replication.ts'
import { scanHandlers } from './scan.ts'
import { scriptingHandlers } from './scripting.ts'
import { serverHandlers } from './server.ts'
import { setAlgebraHandlers } from './set-algebra.ts'
import { setHandlers } from './sets.ts'
import { sortHandlers } from './sort.ts'
import { sortedSetAlgebraHandlers } from './sorted-set-algebra.ts'
import { sortedSetPopHandlers } from './sorted-set-pops.ts'
import { sortedSetRandomHandlers } from './sorted-set-random.ts'
import { sortedSetRangeHandlers } from './sorted-set-ranges.ts'
import { sortedSetHandlers } from './sorted-sets.ts'
import { streamClaimHandlers } from './stream-claims.ts'
import { streamGroupHandlers } from './stream-groups.ts'
import { streamInfoHandlers } from './stream-info.ts'
import { streamPendingHandlers } from './stream-pending.ts'
import { streamReadHandlers } from './stream-reads.ts'
import { streamHandlers } from './streams.ts'
import { stringSetHandlers } from './string-set.ts'
import { stringHandlers } from './strings.ts'
import { transactionHandlers } from './transactions.ts'

/**
 * Handlers of all simulated commands by full name in lower case. COMMAND and ACL are added
 * elsewhere, because they need the complete table.
 */
export const allHandlers: Handlers = {
  ...connectionHandlers,
  ...clientHandlers,
  ...clientKillHandlers,
  ...serverHandlers,
  ...latencyHandlers,
  ...configHandlers,
  ...clusterHandlers,
  ...keyHandlers,
  ...expiryHandlers,
  ...scanHandlers,
  ...clientTrackingHandlers,
  ...monitorHandlers,
  ...stringHandlers,
  ...stringSetHandlers,
  ...counterHandlers,
  ...bitHandlers,
  ...bitfieldHandlers,
  ...lcsHandlers,
  ...hyperLogLogHandlers,
  ...dumpHandlers,
  ...sortHandlers,
  ...hashHandlers,
  ...hashCounterHandlers,
  ...hashRandomHandlers,
  ...listHandlers,
  ...listPopHandlers,
  ...listPositionHandlers,
  ...setHandlers,
  ...setAlgebraHandlers,
  ...sortedSetRangeHandlers,
  ...sortedSetAlgebraHandlers,
  ...sortedSetPopHandlers,
  ...sortedSetRandomHandlers,
  ...sortedSetHandlers,
  ...geoHandlers,
  ...geoSearchHandlers,
  ...streamHandlers,
  ...streamReadHandlers,
  ...streamGroupHandlers,
  ...streamPendingHandlers,
  ...streamClaimHandlers,
  ...streamInfoHandlers,
  ...pubsubHandlers,
  ...replicationHandlers,
  ...persistenceHandlers,
  ...transactionHandlers,
  ...scriptingHandlers,
  ...functionHandlers,
}
