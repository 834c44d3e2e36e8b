import { emptyDataSet, unpackDataSet } from '../persistence/snapshot.ts'
import type { RedisServer } from '../server.ts'
import type { Position } from './primary-stream.ts'

/**
 * The primary's data set has come whole: what was here is dropped, own replicas must ask again, and
 * nobody is answered until it is read. Answers what stops it. Source: the end of
 * readSyncBulkPayload of Redis 7.0, which reads it with everything else waiting: here the keys
 * appear at once when `loadingUs` have passed.
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
