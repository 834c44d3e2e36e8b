import type { Command, Handlers } from '../../command.ts'
import { commandSpecs } from '../../command-specs.ts'
import { buildTable } from '../../command-table.ts'
import { clientHandlers } from '../../commands/client.ts'
import { clientKillHandlers } from '../../commands/client-kill.ts'
import { connectionHandlers } from '../../commands/connection.ts'
import { pubsubHandlers } from '../../commands/pubsub.ts'
import { asServerHandlers } from './as-server.ts'
import { changeHandlers } from './changes.ts'
import { configHandlers } from './config.ts'
import { debugHandlers } from './debug.ts'
import { queryHandlers } from './queries.ts'
import { setHandlers } from './set.ts'

/** Of a server's own commands, those that a Sentinel knows, as its COMMAND LIST has them. */
const shared =
  /^(acl|auth|client|command|hello|info|ping|psubscribe|publish|punsubscribe|role|shutdown|subscribe|unsubscribe)(\||$)/

/** Source: COMMAND of redis-sentinel 7.0.15. */
const ownSpecs = `
sentinel -2 0 0 0 admin
sentinel|ckquorum 3 0 0 0 admin
sentinel|config -3 0 0 0 admin
sentinel|debug -2 0 0 0 admin
sentinel|failover 3 0 0 0 admin
sentinel|flushconfig 2 0 0 0 admin
sentinel|get-master-addr-by-name 3 0 0 0 admin
sentinel|help 2 0 0 0 loading,stale
sentinel|info-cache -3 0 0 0 admin
sentinel|is-master-down-by-addr 6 0 0 0 admin
sentinel|master 3 0 0 0 admin
sentinel|masters 2 0 0 0 admin
sentinel|monitor 6 0 0 0 admin
sentinel|myid 2 0 0 0 admin
sentinel|pending-scripts 2 0 0 0 admin
sentinel|remove 3 0 0 0 admin
sentinel|replicas 3 0 0 0 admin
sentinel|reset 3 0 0 0 admin
sentinel|sentinels 3 0 0 0 admin
sentinel|set -5 0 0 0 admin
sentinel|simulate-failure -3 0 0 0 admin
sentinel|slaves 3 0 0 0 admin
`

const handlers: Handlers = {
  ping: connectionHandlers.ping!,
  auth: connectionHandlers.auth!,
  ...clientHandlers,
  ...clientKillHandlers,
  subscribe: pubsubHandlers.subscribe!,
  psubscribe: pubsubHandlers.psubscribe!,
  unsubscribe: pubsubHandlers.unsubscribe!,
  punsubscribe: pubsubHandlers.punsubscribe!,
  ...asServerHandlers,
  ...queryHandlers,
  ...changeHandlers,
  ...setHandlers,
  ...configHandlers,
  ...debugHandlers,
  'command|count': () => all().size,
}

/** Built at the first look-up: only some runs have Sentinels. */
let table: ReadonlyMap<string, Command> | undefined

export function findSentinelCommand(name: string): Command | undefined {
  return all().get(name.toLowerCase())
}

function all(): ReadonlyMap<string, Command> {
  return (table ??= buildTable(sentinelSpecs(), handlers))
}

function sentinelSpecs(): string {
  return commandSpecs
    .split('\n')
    .filter((line) => shared.test(line.split(' ')[0]!))
    .concat(ownSpecs.trim())
    .join('\n')
}
