/** Which directions faults block, and when. Links are fakes. */
import { describe, expect, it } from 'vitest'
import { LiveLinks } from '../../../src/live/host/live-links.ts'
import { LiveTimers } from '../../../src/live/host/timers.ts'
import type { FlowDirection, LinkAction } from '../../../src/run/actions.ts'
import type { BoundaryEvent } from '../../../src/run/boundary-event.ts'

class FakeLink {
  readonly forgotten: FlowDirection[] = []
  readonly connections = [{ forget: (direction: FlowDirection) => void this.forgotten.push(direction) }]
  readonly port = 6379
  cuts = 0
  readonly blocks = { 'to-node': 0, 'to-process': 0 }

  constructor(private readonly broken = false) {}

  async block(direction: FlowDirection): Promise<boolean> {
    if (this.broken) throw new Error('the link is broken')
    return this.blocks[direction]++ === 0
  }

  async unblock(direction: FlowDirection): Promise<boolean> {
    return --this.blocks[direction] === 0
  }

  async cut(): Promise<void> {
    this.cuts++
  }
}

function lab(server = new FakeLink(), open = true) {
  const failures: unknown[] = []
  const timers = new LiveTimers((error) => failures.push(error))
  const slot = { broker: new FakeLink(), sink: new FakeLink(), servers: new Map([['redis', server]]) }
  const watched: string[] = []
  const watch = {
    changed: (fault: number, { ports }: { readonly ports: readonly number[] }) =>
      void watched.push(`${fault} changed ${ports}`),
    restoring: (fault: number) => void watched.push(`${fault} restoring`),
    resets: () => open,
    forgets: (fault: number) => {
      if (open) watched.push(`${fault} forgets`)
      return open
    },
  }
  const lives = new LiveLinks(() => [slot as never], timers, watch)
  const links = {
    carryOut: (action: LinkAction, event: BoundaryEvent | null, fault = 0) => lives.carryOut(action, event, fault),
  }
  const order = (what: 'block' | 'unblock', node: string, direction: 'both' | FlowDirection): LinkAction => ({
    do: what,
    slot: 0,
    nodes: [node],
    direction,
  })
  const soon = () => new Promise<void>((resolve) => void setTimeout(resolve, 50))
  return { ...slot, server, links, watched, order, timers, failures, soon }
}

const afterCommand = { boundary: 'command-executed' } as BoundaryEvent
const free = { 'to-node': 0, 'to-process': 0 }

describe('a partition after a command', () => {
  it('passes the command to its server, and blocks that direction a moment later', async () => {
    const { links, order, server, soon, timers } = lab()
    expect(await links.carryOut(order('block', 'redis', 'both'), afterCommand)).toBe(true)
    expect(server.blocks).toEqual({ 'to-node': 0, 'to-process': 1 })
    await soon()
    expect(server.blocks).toEqual({ 'to-node': 1, 'to-process': 1 })
    timers.stop()
  })

  it.each(['sink', 'broker'] as const)('from the %s blocks both ways at once', async (node) => {
    const { links, order, timers, ...slot } = lab()
    await links.carryOut(order('block', node, 'both'), afterCommand)
    expect(slot[node].blocks).toEqual({ 'to-node': 1, 'to-process': 1 })
    timers.stop()
  })

  it('blocks the remaining direction if replies are already blocked', async () => {
    const { links, order, server, soon, timers } = lab()
    await links.carryOut(order('block', 'redis', 'to-process'), null)
    expect(await links.carryOut(order('block', 'redis', 'both'), afterCommand)).toBe(true)
    await soon()
    expect(server.blocks).toEqual({ 'to-node': 1, 'to-process': 2 })
    timers.stop()
  })

  it('leaves nothing blocked if it heals before that moment', async () => {
    const { links, order, server, soon, timers } = lab()
    await links.carryOut(order('block', 'redis', 'both'), afterCommand)
    expect(await links.carryOut(order('unblock', 'redis', 'both'), null)).toBe(true)
    await soon()
    expect(server.blocks).toEqual(free)
    timers.stop()
  })

  it('needs two heals if it strikes twice at the same moment', async () => {
    const { links, order, server, soon, timers } = lab()
    await links.carryOut(order('block', 'redis', 'both'), afterCommand)
    await links.carryOut(order('block', 'redis', 'both'), afterCommand)
    expect(await links.carryOut(order('unblock', 'redis', 'both'), null)).toBe(false)
    expect(await links.carryOut(order('unblock', 'redis', 'both'), null)).toBe(true)
    await soon()
    expect(server.blocks).toEqual(free)
    timers.stop()
  })

  it('reports a late block that fails, although nothing waits for it', async () => {
    const half = new FakeLink()
    const { links, order, failures, soon, timers } = lab(half)
    await links.carryOut(order('block', 'redis', 'both'), afterCommand)
    half.block = () => Promise.reject(new Error('the proxy is gone'))
    await soon()
    expect(failures).toEqual([new Error('the proxy is gone')])
    timers.stop()
  })
})

describe('a partition', () => {
  it('neither strikes nor heals on a link that is already blocked', async () => {
    const { links, order, server, timers } = lab()
    expect(await links.carryOut(order('block', 'redis', 'both'), null)).toBe(true)
    expect(await links.carryOut(order('block', 'redis', 'to-node'), null)).toBe(false)
    expect(server.blocks).toEqual({ 'to-node': 1, 'to-process': 1 })
    timers.stop()
  })

  it('is watched from its start until just before its end, except on the harness’s own link to the broker', async () => {
    const { links, order, watched, timers } = lab()
    await links.carryOut(order('block', 'redis', 'both'), null, 3)
    await links.carryOut(order('block', 'broker', 'both'), null, 4)
    await links.carryOut(order('unblock', 'redis', 'both'), null, 3)
    expect(watched).toEqual(['3 changed 6379', '3 restoring'])
    timers.stop()
  })
})

describe('a reset of connections', () => {
  const reset = { do: 'reset', process: { name: 'consumer-1', slot: 0, state: 'running' } } as const

  it('cuts open connections, and does not strike without any', async () => {
    for (const open of [true, false]) {
      const { links, server, timers } = lab(new FakeLink(), open)
      expect(await links.carryOut(reset, null)).toBe(open)
      expect(server.cuts).toBe(open ? 1 : 0)
      timers.stop()
    }
  })
})

describe('a fault that forgets connections', () => {
  const forget = { do: 'forget', process: { name: 'consumer-1', slot: 0, state: 'running' } } as const

  it('forgets both directions and is watched afterwards, and does not strike without an open connection', async () => {
    for (const open of [true, false]) {
      const { links, server, watched, timers } = lab(new FakeLink(), open)
      expect(await links.carryOut(forget, null, 3)).toBe(open)
      expect([server.forgotten, watched]).toEqual(open ? [['to-process', 'to-node'], ['3 forgets']] : [[], []])
      timers.stop()
    }
  })

  it('passes a command whose reply should be lost to its server', async () => {
    const { links, server, soon, timers } = lab()
    await links.carryOut(forget, afterCommand)
    expect(server.forgotten).toEqual(['to-process'])
    await soon()
    expect(server.forgotten).toEqual(['to-process', 'to-node'])
    timers.stop()
  })
})
