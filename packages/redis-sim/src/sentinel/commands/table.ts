import { readFileSync } from 'node:fs'
import type { Command, Handlers } from '../../command.ts'
import type { CommandSpecs } from '../../command-specs.ts'
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

/**
 * The command table of Sentinels. It is built on first use, because only some runs have Sentinels.
 */
let table: ReadonlyMap<string, Command> | undefined

export function findSentinelCommand(name: string): Command | undefined {
  return all().get(name.toLowerCase())
}

function all(): ReadonlyMap<string, Command> {
  return (table ??= buildTable(readSpecs(), handlers))
}

/** The specs from COMMAND of redis-sentinel 7.0.15, written by fidelity/write-commands.ts. */
function readSpecs(): CommandSpecs {
  return JSON.parse(readFileSync(new URL('../commands.json', import.meta.url), 'utf8'))
}
