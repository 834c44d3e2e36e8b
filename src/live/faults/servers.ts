/** Faults of the Redis server as a whole, made with its own commands, with signals, or by ending it. */
import { whereText } from '../../contract/where-text.ts'
import type { LiveServer, Power, Trouble } from '../servers/live-server.ts'
import { killPrimary } from './failover.ts'
import type { LiveFault, LiveTarget } from './live-fault.ts'

interface ServerFault {
  readonly needs: Power
  readonly sentence: string
  readonly healed?: string
  /** What it is in until it heals; a server that is in it already is not struck. */
  readonly trouble?: Trouble
  /** Until it heals, nothing else can be done to the server. */
  readonly alone?: true
  /** False where it cannot be done. */
  strike(server: LiveServer, target: LiveTarget): Promise<unknown>
  heal?(server: LiveServer): Promise<void>
}

function serverFault({ needs, sentence, healed, trouble, alone, strike, heal }: ServerFault): LiveFault {
  return {
    needs,
    async strike(target, _fault, passing) {
      const { server } = target
      if (!server.up || (trouble !== undefined && !server.enter(trouble))) return null
      const endTurn = await server.turn()
      const struck = await strike(server, target)
      if (struck === false && trouble !== undefined) server.leave(trouble)
      if (struck === false || !alone) endTurn()
      if (struck === false) return null
      const whose = passing === null ? '' : ` (${passing.process.name}:${whereText(passing)})`
      const told = { sentence: sentence + whose }
      if (heal === undefined || healed === undefined) return told
      return {
        ...told,
        async heal() {
          const endOfTurn = alone ? endTurn : await server.turn()
          if (trouble !== undefined) server.leave(trouble)
          await heal(server)
          endOfTurn()
          return healed
        },
      }
    },
  }
}

const lost = ({ recorder }: LiveTarget, cause: 'restart' | 'flush' | 'eviction', redisKeys: readonly string[]) =>
  recorder.fact({ type: 'data-lost', node: 'redis', cause, redisKeys })

const emptied = serverFault({
  needs: 'restart',
  sentence: 'redis dies with all its data',
  healed: 'redis is back, empty',
  alone: true,
  async strike(server, target) {
    const keys = await server.keys()
    await server.stop()
    lost(target, 'restart', keys)
  },
  heal: (server) => server.startEmpty(),
})

export const redisFlushed = serverFault({
  needs: 'flush',
  sentence: 'somebody runs FLUSHALL on redis',
  async strike(server, target) {
    const keys = await server.keys()
    await server.call('FLUSHALL')
    lost(target, 'flush', keys)
  },
})

export const scriptsFlushed = serverFault({
  needs: 'flush',
  sentence: 'the script cache of redis is flushed',
  async strike(server) {
    await server.call('SCRIPT', 'FLUSH')
  },
})

/** Of several servers, it is the primary that dies. */
export const redisRestart: LiveFault = {
  needs: 'restart',
  async strike(target, fault, passing) {
    const { bench, recorder } = target
    return bench === null ? emptied.strike(target, fault, passing) : killPrimary({ bench, recorder })
  },
}

/** `maxmemory` goes just below what is used, so that the server itself chooses what to drop. */
export const eviction = serverFault({
  needs: 'configure',
  sentence: 'maxmemory-policy of redis is changed to allkeys-random, and it may evict keys',
  healed: 'maxmemory-policy of redis is noeviction again',
  trouble: 'evicts',
  async strike(server, target) {
    const before = await server.keys()
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random')
    const used = /used_memory:(\d+)/.exec(String(await server.call('INFO', 'memory')))?.[1] ?? '0'
    await server.call('CONFIG', 'SET', 'maxmemory', String(Number(used) - 100))
    const after = new Set(await server.keys())
    await server.call('CONFIG', 'SET', 'maxmemory', '0')
    const gone = before.filter((key) => !after.has(key))
    if (gone.length > 0) lost(target, 'eviction', gone)
  },
  async heal(server) {
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  },
})

export const redisOutOfMemory = serverFault({
  needs: 'configure',
  sentence: 'redis is out of memory and refuses writes',
  healed: 'redis has memory again',
  trouble: 'out of memory',
  async strike(server) {
    await server.call('CONFIG', 'SET', 'maxmemory', '1')
  },
  async heal(server) {
    await server.call('CONFIG', 'SET', 'maxmemory', '0')
  },
})

/** A script that never ends; after a millisecond the server answers BUSY. */
export const redisBusy = serverFault({
  needs: 'configure',
  sentence: 'redis is busy with a script of somebody else',
  healed: 'the script of somebody else is done',
  trouble: 'busy',
  alone: true,
  strike: (server) => server.occupy(),
  heal: (server) => server.release(),
})

/** No client more than there are now. */
export const connectionLimit = serverFault({
  needs: 'configure',
  sentence: 'redis accepts no client more',
  healed: 'redis accepts clients again',
  trouble: 'full',
  async strike(server) {
    const clients = /connected_clients:(\d+)/.exec(String(await server.call('INFO', 'clients')))?.[1] ?? '1'
    await server.call('CONFIG', 'SET', 'maxclients', clients)
  },
  async heal(server) {
    await server.call('CONFIG', 'SET', 'maxclients', '10000')
  },
})

/** SIGSTOP: it executes nothing, and everything afterwards. */
export const slowRedis = serverFault({
  needs: 'freeze',
  sentence: 'redis stops executing commands for a while',
  healed: 'redis executes what has waited',
  trouble: 'frozen',
  alone: true,
  strike: (server) => server.freeze(true),
  heal: (server) => server.freeze(false),
})
