import { emptyDataSet, unpackDataSet } from '../persistence/snapshot.ts'
import type { RedisServer } from '../server.ts'
import type { Position } from './primary-stream.ts'

/**
 * Loads a completely received data set: drops the current one, disconnects the server's own
 * replicas, and refuses clients until the end. Returns the function that stops the loading. Source:
 * the end of readSyncBulkPayload of Redis 7.0. Real Redis blocks while it loads; here the keys
 * appear all at once after `loadingUs`.
 */
export function loadFromPrimary(server: RedisServer, payload: string, history: Position, done: () => void): () => void {
  const { replication, persistence, environment } = server
  environment.dataReplaced?.(server.describeKeys().map(({ key }) => key))
  persistence.received(payload, history)
  replication.replicas.disconnectAll()
  replication.dropHistory()
  emptyDataSet(server)
  const loaded = () => {
    unpackDataSet(payload, server)
    server.setLoading(false)
    replication.id = history.id
    replication.forgetOldName()
    server.replicationOffset = history.offset
    replication.keepHistory()
    persistence.loaded()
    done()
  }
  if (server.config.loadingUs === 0) {
    loaded()
    return () => {}
  }
  server.setLoading(true)
  return server.after(server.config.loadingUs, () => {
    server.readClock()
    loaded()
  })
}
