/** Faults of the Redis server as a whole, made with its own commands, with signals, or by ending it. */
import { whereText } from '../../contract/where-text.ts'
import type { LiveServer, Power } from '../servers/live-server.ts'
import { killPrimary } from './failover.ts'
import type { LiveFault, LiveTarget } from './live-fault.ts'

interface ServerFault {
  readonly needs: Power
  readonly sentence: string
  readonly healed?: string
  /** False where it is so already. */
  strike(server: LiveServer, target: LiveTarget): Promise<boolean>
  heal?(server: LiveServer): Promise<void>
}

function serverFault({ needs, sentence, healed, strike, heal }: ServerFault): LiveFault {
  return {
    needs,
    async strike(target, _fault, passing) {
      const { server } = target
      if (!server.up || !(await strike(server, target))) return null
      const whose = passing === null ? '' : ` (${passing.process.name}:${whereText(passing)})`
      const told = { sentence: sentence + whose }
      if (heal === undefined || healed === undefined) return told
      return {
        ...told,
        async heal() {
          await heal(server)
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
  async strike(server, target) {
    const keys = await server.keys()
    await server.stop()
    lost(target, 'restart', keys)
    return true
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
    return true
  },
})

export const scriptsFlushed = serverFault({
  needs: 'flush',
  sentence: 'the script cache of redis is flushed',
  async strike(server) {
    await server.call('SCRIPT', 'FLUSH')
    return true
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
  async strike(server, target) {
    if (!server.enter('evicts')) return false
    const before = await server.keys()
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random')
    const used = /used_memory:(\d+)/.exec(String(await server.call('INFO', 'memory')))?.[1] ?? '0'
    await server.call('CONFIG', 'SET', 'maxmemory', String(Number(used) - 100))
    const after = new Set(await server.keys())
    await server.call('CONFIG', 'SET', 'maxmemory', '0')
    const gone = before.filter((key) => !after.has(key))
    if (gone.length > 0) lost(target, 'eviction', gone)
    return true
  },
  async heal(server) {
    server.leave('evicts')
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  },
})

export const redisOutOfMemory = serverFault({
  needs: 'configure',
  sentence: 'redis is out of memory and refuses writes',
  healed: 'redis has memory again',
  async strike(server) {
    if (!server.enter('out of memory')) return false
    await server.call('CONFIG', 'SET', 'maxmemory', '1')
    return true
  },
  async heal(server) {
    server.leave('out of memory')
    await server.call('CONFIG', 'SET', 'maxmemory', '0')
  },
})

/** A script that never ends; after a millisecond the server answers BUSY. */
export const redisBusy = serverFault({
  needs: 'configure',
  sentence: 'redis is busy with a script of somebody else',
  healed: 'the script of somebody else is done',
  async strike(server) {
    if (!server.enter('busy')) return false
    await server.call('CONFIG', 'SET', 'lua-time-limit', '1')
    server.callUnanswered('EVAL', 'while true do end', '0')
    return true
  },
  async heal(server) {
    server.leave('busy')
    await server.call('SCRIPT', 'KILL')
  },
})

/** No client more than there are now. */
export const connectionLimit = serverFault({
  needs: 'configure',
  sentence: 'redis accepts no client more',
  healed: 'redis accepts clients again',
  async strike(server) {
    if (!server.enter('full')) return false
    const clients = /connected_clients:(\d+)/.exec(String(await server.call('INFO', 'clients')))?.[1] ?? '1'
    await server.call('CONFIG', 'SET', 'maxclients', clients)
    return true
  },
  async heal(server) {
    server.leave('full')
    await server.call('CONFIG', 'SET', 'maxclients', '10000')
  },
})

/** SIGSTOP: it executes nothing, and everything afterwards. */
export const slowRedis = serverFault({
  needs: 'freeze',
  sentence: 'redis stops executing commands for a while',
  healed: 'redis executes what has waited',
  async strike(server) {
    if (!server.enter('frozen')) return false
    await server.freeze(true)
    return true
  },
  async heal(server) {
    server.leave('frozen')
    await server.freeze(false)
  },
})
