import { describe, expect, it } from 'vitest'
import type { ClientSide, Listener } from '../../src/network/client-side.ts'
import type { MachineWire } from '../../src/network/machine-wire.ts'
import { Lab } from '../lab.ts'

const replica = { name: 'redis-2', address: '10.0.0.2' }

/** A listening primary, a replica that connects to it, and what each of the two observes. */
function setUp(listens = true) {
  const lab = new Lab()
  const server: string[] = []
  const dialler: string[] = []
  const accepted: ClientSide[] = []
  const listener: Listener = {
    accept(client) {
      accepted.push(client)
      return { received: (bytes) => server.push(bytes), closed: () => server.push('closed') }
    },
  }
  lab.network.place('10.0.0.1', 'redis-1')
  if (listens) lab.network.listen('10.0.0.1', 6379, 'redis-1', listener, null)
  const wire: MachineWire = lab.network.dial(replica, '10.0.0.1', 6379, {
    opened: (local) => dialler.push(`opened ${local}`),
    received: (bytes) => dialler.push(bytes),
    closed: (why) => dialler.push(`closed ${why}`),
  })
  return { lab, server, dialler, accepted, wire }
}

describe('a wire between two machines', () => {
  it('carries bytes in both directions in order, even bytes written before it is open', async () => {
    const { lab, server, dialler, accepted, wire } = setUp()
    for (const bytes of ['PING', 'REPLCONF', 'PSYNC']) wire.write(bytes)
    lab.at(50, () => ['PONG', 'OK', 'CONTINUE'].forEach((bytes) => void accepted[0]!.reply(bytes, null)))
    await lab.run()
    expect(server).toEqual(['PING', 'REPLCONF', 'PSYNC'])
    expect(dialler).toEqual(['opened 10.0.0.2:40001', 'PONG', 'OK', 'CONTINUE'])
  })

  it('is refused if nothing listens', async () => {
    const { lab, dialler } = setUp(false)
    await lab.run()
    expect(dialler).toEqual(['closed ECONNREFUSED'])
  })

  it('holds the bytes of a partitioned direction, but not those of the opposite direction', async () => {
    const { lab, server, dialler, accepted, wire } = setUp()
    lab.at(40, () => lab.network.way('redis-1', 'redis-2').block())
    lab.at(50, () => wire.write('ACK'))
    lab.at(60, () => accepted[0]!.reply('SET', null))
    lab.at(500, () => expect([server, dialler.length]).toEqual([['ACK'], 1]))
    lab.at(1000, () => lab.network.way('redis-1', 'redis-2').unblock())
    await lab.run()
    expect(dialler.slice(1)).toEqual(['SET'])
  })

  it('reports the death of the accepting machine only after the partition has healed', async () => {
    const { lab, dialler, accepted } = setUp()
    lab.at(40, () => lab.network.way('redis-1', 'redis-2').block())
    lab.at(50, () => accepted[0]!.break('ECONNRESET'))
    lab.at(900, () => expect(dialler.length).toBe(1))
    lab.at(1000, () => lab.network.way('redis-1', 'redis-2').unblock())
    await lab.run()
    expect(dialler.at(-1)).toBe('closed ECONNRESET')
  })

  it('answers bytes for a closed connection with a reset', async () => {
    const { lab, server, dialler, accepted, wire } = setUp()
    lab.at(40, () => lab.network.way('redis-1', 'redis-2').block())
    lab.at(50, () => accepted[0]!.serverClose())
    lab.at(60, () => wire.write('ACK'))
    lab.at(1000, () => lab.network.way('redis-1', 'redis-2').unblock())
    await lab.run()
    expect([server, dialler.at(-1)]).toEqual([[], 'closed end'])
  })

  it('is closed at the accepting end when its dialer closes, and carries nothing back', async () => {
    const { lab, server, dialler, accepted, wire } = setUp()
    lab.at(50, () => wire.close())
    lab.at(51, () => accepted[0]!.reply('late', null))
    await lab.run()
    expect([server, dialler.length]).toEqual([['closed'], 1])
  })

  it('gives up after the timeout of Linux on a machine that never answers', async () => {
    const { lab, dialler } = setUp()
    lab.network.way('redis-2', 'redis-1').block()
    await lab.run()
    expect(dialler).toEqual(['closed ETIMEDOUT'])
    expect(lab.kernel.nowUs).toBe(127_000_000)
  })
})

describe('the far end of a wire', () => {
  const machine = {}
  /**
   * A listener whose end can be used without the network, and a dialer that accepts every repeat.
   */
  async function connected() {
    const lab = new Lab()
    const accepted: ClientSide[] = []
    const end = { received() {}, closed() {}, far: () => machine }
    const accept = (client: ClientSide) => {
      accepted.push(client)
      return end
    }
    lab.network.place('10.0.0.1', 'redis-1')
    lab.network.listen('10.0.0.1', 6379, 'redis-1', { accept }, null)
    const dialler = { opened() {}, received() {}, closed() {}, repeated: () => true }
    const wire = lab.network.dial(replica, '10.0.0.1', 6379, dialler)
    expect(wire.far).toBeNull()
    await lab.run()
    return { lab, wire, back: accepted[0]! }
  }

  it('is available once the wire is open and nothing is in flight', async () => {
    const { wire, back } = await connected()
    expect(wire.far).toBe(machine)
    expect(back.repeat!({})).toBe(true)
    wire.write('PING')
    expect(wire.far).toBeNull()
    expect(back.repeat!({})).toBe(false)
  })

  it('is unavailable while either direction is partitioned', async () => {
    const { lab, wire, back } = await connected()
    for (const way of [lab.network.way('redis-2', 'redis-1'), lab.network.way('redis-1', 'redis-2')]) {
      way.block()
      expect([wire.far, back.repeat!({})]).toEqual([null, false])
      way.unblock()
      expect([wire.far, back.repeat!({})]).toEqual([machine, true])
    }
  })

  it('is unavailable after its machine has died', async () => {
    const { wire, back } = await connected()
    back.break('ECONNRESET')
    expect(wire.far).toBeNull()
  })
})
