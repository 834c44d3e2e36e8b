export { endingWithParent } from './ending-with-parent.ts'
export { exitCodes } from './exit-codes.ts'
export { freePort, reservePort } from './free-port.ts'
export { noteText } from './postgres/note-text.ts'
export { minorVersion, type PostgresServer, startPostgres } from './postgres/process.ts'
export { findPostgres, serverUser, usualPrograms } from './postgres/programs.ts'
export { RealSessions, type Waiting } from './postgres/real-sessions.ts'
export { type Answer, WireClient } from './postgres/wire-client.ts'
export { type Login, superuser } from './postgres/wire-connection.ts'
export { Random } from './random.ts'
export {
  type ClusterName,
  clusterHost,
  clusterId,
  clusterNames,
  clusterSeats,
  clusterTimeoutMs,
  RealCluster,
} from './redis/cluster.ts'
export { closedMark, RealConnection } from './redis/connection.ts'
export { encodeCommand } from './redis/encode-command.ts'
export { findProgram, type RedisProcess, startRedis } from './redis/process.ts'
export { canonical, type ReplyNode, readReply } from './redis/reply-tree.ts'
export { RedisServers } from './redis/servers.ts'
export { goneRemedy, ServerGone } from './server-gone.ts'
