/** Faults of the broker and of messages; the broker is the harness itself. */
import { messageOf } from '../../contract/plan.ts'
import type { LiveFault } from './live-fault.ts'

export const duplicateDelivery: LiveFault = {
  async strike({ broker }, fault) {
    if (broker.entries.length === 0) return null
    const { message, fingerprint } = broker.entries[messageOf(fault) % broker.entries.length]!
    broker.publish(message, fingerprint, true)
    return { sentence: `the broker hands out a copy of ${message.id} (key ${message.key})` }
  },
}

export const redelivery: LiveFault = {
  async strike({ broker }, fault) {
    const moved = broker.rebalance(messageOf(fault))
    if (moved === null) return null
    const { message, from, to } = moved
    return {
      process: to.name,
      sentence: `a rebalance hands ${message.id} (key ${message.key}), which ${from.name} has, to ${to.name} as well`,
    }
  },
}

export const commitPast: LiveFault = {
  async strike({ broker }, fault) {
    const passed = broker.passOver(messageOf(fault))
    if (passed === null) return null
    const { message, fingerprint } = passed.entry
    const named = `${message.id} (key ${message.key})`
    return {
      process: passed.process.name,
      sentence: `the broker commits past ${named}, which ${passed.process.name} has not finished`,
      heal() {
        const id = `${message.id}-again`
        broker.publish({ ...message, id }, fingerprint, false)
        return `${named} is published again, as ${id}`
      },
    }
  },
}

export const lostAcknowledgement: LiveFault = {
  async strike(_target, _fault, passing) {
    if (passing === null) return null
    passing.verdict = 'drop'
    return { sentence: `the answer of ${passing.process.name} to the broker is lost` }
  },
}

export const outOfOrder: LiveFault = {
  async strike({ broker }) {
    if (!broker.hold(true)) return null
    return {
      sentence: 'the broker holds its messages back',
      heal() {
        broker.hold(false)
        return 'the broker hands out what it held, the newest first'
      },
    }
  },
}

export const lateCopy: LiveFault = {
  async strike({ broker }, fault) {
    return {
      sentence: `a copy of a message is stuck, and will turn up in ${fault.healAfterMs} ms`,
      heal() {
        if (broker.entries.length === 0) return 'there was no message to copy'
        const { message, fingerprint } = broker.entries[messageOf(fault) % broker.entries.length]!
        broker.publish(message, fingerprint, true)
        return `a copy of ${message.id} (key ${message.key}) turns up`
      },
    }
  },
}

export const poison: LiveFault = {
  async strike(target, fault) {
    const { messages } = target.plan
    const { key } = messages[messageOf(fault) % messages.length]!
    const times = Number(fault.times)
    target.poison(key, fault.how === 'kills' ? 'kills' : 'sink-fails', times)
    const what = fault.how === 'kills' ? 'kills the consumers that handle it' : 'makes the sink fail'
    return { sentence: `the message for ${key} is poison: it ${what}, ${times} times` }
  },
}
