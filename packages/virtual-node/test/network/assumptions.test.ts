/** Breaks each assumption of the network by hand, and checks that the assertion fires. */
import { describe, expect, it } from 'vitest'
import { BrokenAssumption } from '../../src/assert.ts'
import type { Connection } from '../../src/network/connection.ts'
import { Inbox, type Reader } from '../../src/network/inbox.ts'
import { Direction } from '../../src/network/link.ts'
import { MachineWire } from '../../src/network/machine-wire.ts'
import { Pipe } from '../../src/network/pipe.ts'
import { ProcessWire } from '../../src/network/process-wire.ts'
import type { Segment } from '../../src/network/segment.ts'
import type { VirtualProcess } from '../../src/runtime/process.ts'
import type { Endpoint } from '../../src/runtime/transport.ts'
import { Lab } from '../lab.ts'

const newDirection = (lab: Lab) => new Direction(lab.kernel.choices.stream('link'))
const endpoint: Endpoint = { connected() {}, connectFailed() {}, received() {}, ended() {}, broken() {} }
const local = { address: '10.0.1.1', port: 40_001 }

describe('a flow throws', () => {
  const newPipe = () => {
    const lab = new Lab()
    const direction = newDirection(lab)
    return { lab, direction, pipe: new Pipe<string, VirtualProcess>(lab.kernel, direction, () => {}) }
  }

  it('when it must keep a negative number of parcels, or more parcels than are in flight', () => {
    const { pipe } = newPipe()
    pipe.send('a')
    expect(() => pipe.cut(-1)).toThrow('no more than is under way')
    expect(() => pipe.cut(2)).toThrow(BrokenAssumption)
  })

  it('when it replaces an arrived parcel', async () => {
    const { lab, pipe } = newPipe()
    pipe.send('a')
    pipe.replaceLast('b')
    await lab.run()
    expect(() => pipe.replaceLast('c')).toThrow('only a parcel under way')
  })

  it('when a fault ends that has not begun, or removes more delay than it added', () => {
    const { direction, pipe } = newPipe()
    expect(() => direction.unblock()).toThrow('was in the way')
    direction.extraUs = -1
    expect(() => pipe.send('a')).toThrow('no more time than was added')
  })
})

describe('an inbox throws', () => {
  const reader: Reader = { hasFinished: false, read() {}, hears() {}, ended() {}, broken() {}, connectFailed() {} }
  const process = { isBehind: true, wake() {} } as unknown as VirtualProcess
  const data: Segment = { kind: 'data', bytes: 'a', label: null }
  const newInbox = (dialledBy: 'this process' | 'its peer', ...segments: Segment[]) => {
    const inbox = new Inbox(process, reader, dialledBy)
    for (const segment of segments) inbox.arrived(segment)
    return inbox
  }

  it('when data follow the end of the flow', () => {
    expect(() => newInbox('this process', { kind: 'fin' }, data)).toThrow('follows the end')
  })

  it('when data come before the connection is established, or when the connection is established twice', () => {
    expect(() => newInbox('this process', data).poll()).toThrow('before the connection is established')
    const twice = newInbox('this process', { kind: 'accepted' }, { kind: 'accepted' })
    twice.poll()
    expect(() => twice.poll()).toThrow('is established once')
  })

  it('when the end of the flow is read twice', () => {
    const ended = newInbox('this process', { kind: 'accepted' }, { kind: 'fin' }, { kind: 'fin' })
    ended.poll()
    ended.poll()
    expect(() => ended.poll()).toThrow('reads the end of a flow once')
  })

  it('when a process reads from a connection that it has not accepted', () => {
    expect(() => newInbox('its peer', data).poll()).toThrow('that it has accepted')
  })
})

describe('a connection throws', () => {
  const connected = async () => {
    const lab = new Lab()
    const accepted: { received(): void; closed(): void } = { received() {}, closed() {} }
    lab.network.listen('10.0.0.1', 6379, 'server', { accept: () => accepted }, null)
    let connection: Connection | null = null
    lab.start(() => {})
    const process = lab.start(() => {
      connection = lab.network.connect(process, '10.0.0.1', 6379, endpoint) as Connection
    }, 1)
    await lab.run({ timeUs: 1_000_000 })
    return { lab, connection: connection as unknown as Connection }
  }

  it('when it is opened twice, or opens after it was closed', async () => {
    const { connection } = await connected()
    expect(connection.state).toBe('open')
    expect(() => connection.open(null)).toThrow('opened once')
    connection.close(true)
    expect(() => connection.hears({ kind: 'accepted' })).toThrow('not after it was closed')
  })

  it('when its SYN times out after it was answered', async () => {
    const { lab, connection } = await connected()
    connection.state = 'connecting'
    connection.open(null)
    connection.state = 'open'
    await expect(lab.run({ timeUs: 200_000_000 })).rejects.toThrow(BrokenAssumption)
  })

  it('when the server accepts it again', async () => {
    const { lab, connection } = await connected()
    connection.state = 'connecting'
    connection.open(null)
    await expect(lab.run({ timeUs: 2_000_000 })).rejects.toThrow('accepts a connection once')
  })
})

describe('a connection between machines throws', () => {
  type Machines = Pipe<object, VirtualProcess>
  const connected = async () => {
    const lab = new Lab()
    const [there, back] = [newDirection(lab), newDirection(lab)]
    const accept = () => ({ received() {}, closed() {} })
    const dialler = { opened() {}, received() {}, closed() {} }
    const wire = new MachineWire(lab.kernel, there, back, local, () => ({ accept }), dialler)
    const [[out], [into]] = [there.pipes, back.pipes] as unknown as readonly [Set<Machines>, Set<Machines>]
    await lab.run({ timeUs: 1_000_000 })
    return { lab, there, wire, out: out!, into: into! }
  }

  it('when more messages arrive than were sent', async () => {
    const { lab, into } = await connected()
    into.send({ content: 'made up' })
    await expect(lab.run()).rejects.toThrow('no more than was sent')
  })

  it('when it is opened twice', async () => {
    const { lab, there, wire, into } = await connected()
    there.block()
    wire.write('held')
    into.send({ kind: 'accepted' })
    await expect(lab.run()).rejects.toThrow('opens once')
  })

  it('when it is accepted twice', async () => {
    const { lab, wire, out } = await connected()
    out.send({ kind: 'syn' })
    wire.write('behind it')
    await expect(lab.run()).rejects.toThrow('accepts a connection once')
  })
})

it('a connection between processes throws when its SYN arrives twice', async () => {
  const lab = new Lab()
  const [there, back] = [newDirection(lab), newDirection(lab)]
  const process = lab.start(() => {})
  const listens = () => ({ process, connects() {} })
  new ProcessWire({ kernel: lab.kernel, process, local, endpoint, there, back, listens }).open()
  const [pipe] = there.pipes as Set<Pipe<Segment, VirtualProcess>>
  pipe!.send({ kind: 'syn' })
  await expect(lab.run()).rejects.toThrow('asked once')
})

it('an address belongs to one machine and has one listener', () => {
  const { network } = new Lab()
  const listener = { accept: () => null }
  network.place('10.0.0.1', 'redis-1')
  network.place('10.0.0.1', 'redis-1')
  expect(() => network.place('10.0.0.1', 'redis-2')).toThrow('to one machine')
  network.listen('10.0.0.1', 6379, 'redis-1', listener, null)
  expect(() => network.listen('10.0.0.1', 6379, 'redis-1', listener, null)).toThrow('listens at an address')
})
