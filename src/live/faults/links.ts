/** Faults between a consumer and Redis, the sink or the broker, by the links between them. */
import { slotOf } from '../../contract/plan.ts'
import { whereText } from '../../contract/where-text.ts'
import type { Direction } from '../link.ts'
import { consumerName, type LiveFault, victim } from './live-fault.ts'

/** How long a command has to get to Redis before the direction to it is blocked too. */
const underWayMs = 20

export const partition: LiveFault = {
  ahead: ({ node, way }) => node === 'redis' && way !== 'to-node',
  async strike(target, fault, passing) {
    const slot = passing?.process.slot ?? slotOf(fault)
    const node = String(fault.node)
    const link = target.link(slot, node)
    const both: readonly Direction[] = ['to-process', 'to-node']
    const affected = fault.way === 'both' ? both : [fault.way as Direction]
    const isAhead = passing?.boundary === 'command-executed' && node === 'redis'
    for (const direction of affected) {
      // The command itself still gets through.
      if (isAhead && fault.way === 'both' && direction === 'to-node')
        target.timers.after(
          Math.min(underWayMs, Number(fault.healAfterMs)),
          async () => void (await link.block(direction)),
        )
      else await link.block(direction)
    }
    const name = consumerName(slot)
    const [from, to] = fault.way === 'to-process' ? [node, name] : [name, node]
    const what =
      fault.way === 'both' ? `${name} and ${node} are cut off from each other` : `nothing gets from ${from} to ${to}`
    return {
      sentence: `${what}${whereText(passing)}, for ${fault.healAfterMs} ms`,
      async heal() {
        const free = await Promise.all(affected.map((direction) => link.unblock(direction)))
        return free.every(Boolean)
          ? `${name} and ${node} reach each other again`
          : `${what} no longer, but for another partition`
      },
    }
  },
}

export const slowLink: LiveFault = {
  async strike(target, fault) {
    const slot = slotOf(fault)
    const node = String(fault.node)
    const extraMs = Number(fault.extraMs)
    const link = target.link(slot, node)
    await link.slow(extraMs)
    const between = `messages between ${consumerName(slot)} and ${node}`
    return {
      sentence: `${between} take ${extraMs} ms longer, for ${fault.healAfterMs} ms`,
      async heal() {
        await link.slow(-extraMs)
        return `${between} are as fast as before`
      },
    }
  },
}

/** Connections are closed by their proxy, and taken again at once. */
export const connectionReset: LiveFault = {
  async strike(target, fault, passing) {
    const process = victim(target, fault, passing)
    if (process === null) return null
    await target.redisLink(process.slot).cut()
    return {
      process: process.name,
      sentence: `the connections of ${process.name} to Redis are cut${whereText(passing)}`,
    }
  },
}

/** The bytes of the reply never arrive, and the connection is reset: the command was executed. */
export const lostReply: LiveFault = {
  ahead: () => true,
  async strike(target, _fault, passing) {
    if (passing?.process.state !== 'running') return null
    const { process, label } = passing
    const takeBack = await target.redisLink(process.slot).resetNext('to-process')
    target.whenRedisCloses(process, takeBack)
    target.recorder.fact({ type: 'reply-lost', process: process.name, command: label ?? '' })
    return {
      sentence: `the reply to ${label} of ${consumerName(process.slot)} is lost: it is executed, and the connection breaks`,
    }
  },
}

/** The bytes of the command never arrive at Redis. */
export const lostRequest: LiveFault = {
  async strike(target, _fault, passing) {
    if (passing?.process.state !== 'running') return null
    const { process, label } = passing
    const takeBack = await target.redisLink(process.slot).resetNext('to-node')
    target.whenRedisCloses(process, takeBack)
    target.recorder.fact({ type: 'request-lost', process: process.name, command: label ?? '' })
    return {
      sentence: `${label} of ${consumerName(process.slot)} is lost on its way to Redis, and the connection breaks`,
    }
  },
}
