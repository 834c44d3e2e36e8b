import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'
import { encode } from '../server-by-hand.ts'

function machinesWith(...replicas: string[]): MachinesByHand {
  const machines = new MachinesByHand()
  machines.start('a')
  for (const name of replicas) machines.start(name, { replicaof: 'a 6379' })
  machines.pass(1500)
  return machines
}

describe('WAIT', () => {
  it('answers when the replicas have acknowledged the writes of its client', () => {
    const machines = machinesWith('b', 'c')
    const client = machines.client('a')
    client.run('SET k v')
    expect(client.run('WAIT 2 0')).toBe('')
    machines.pass(1)
    expect(client.taken()).toBe(':2\r\n')
  })

  it('answers at its timeout with the number of replicas that have acknowledged', () => {
    const machines = machinesWith('b', 'c')
    machines.partition('a', 'c')
    const client = machines.client('a')
    client.run('SET k v')
    expect(client.run('WAIT 2 100')).toBe('')
    machines.pass(99)
    expect(client.taken()).toBe('')
    machines.pass(1)
    expect(client.taken()).toBe(':1\r\n')
  })

  it('answers at once as the first command of a new connection', () => {
    const machines = machinesWith('b')
    machines.partition('a', 'b')
    machines.heal()
    machines.pass(500)
    const writer = machines.client('a')
    writer.run('SET k v')
    expect(machines.run('a', 'WAIT 1 0')).toBe(':1\r\n')
    expect(writer.run('WAIT 1 0')).toBe('')
  })

  it('waits for all writes before the previous command of its connection, also if other clients made them', () => {
    const machines = machinesWith('b')
    machines.client('a').run('SET k v')
    const fresh = machines.client('a')
    fresh.run('PING')
    expect(fresh.run('WAIT 1 0')).toBe('')
    machines.pass(1)
    expect(fresh.taken()).toBe(':1\r\n')
  })

  it('does not block inside a transaction, and returns the current number', () => {
    const machines = machinesWith('b')
    const client = machines.client('a')
    client.run('SET k v')
    client.connection.receive(encode('MULTI') + encode('WAIT 1 0') + encode('EXEC'))
    expect(client.taken()).toBe('+OK\r\n+QUEUED\r\n*1\r\n:0\r\n')
  })

  it('is refused by a replica', () => {
    expect(machinesWith('b').run('b', 'WAIT 0 0')).toMatch(/^-ERR WAIT cannot be used with replica instances\. /)
  })

  it('ends with an error and closes the connection if the primary becomes a replica', () => {
    const machines = machinesWith('b')
    machines.partition('a', 'b')
    const client = machines.client('a')
    client.run('SET k v')
    client.run('WAIT 1 0')
    machines.run('a', 'REPLICAOF b 6379')
    expect(client.taken()).toBe(
      '-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n',
    )
    expect(client.closedByServer).toBe(true)
  })
})

describe('min-replicas-to-write', () => {
  it('refuses writes while too few replicas have an acceptable lag, which is checked once a second', () => {
    const machines = machinesWith('b')
    machines.run('a', 'CONFIG SET min-replicas-to-write 1 min-replicas-max-lag 2')
    expect(machines.run('a', 'SET k v')).toBe('+OK\r\n')
    expect(machines.info('a').min_slaves_good_slaves).toBe('1')
    machines.partition('a', 'b')
    expect(machines.run('a', 'SET k v')).toBe('-NOREPLICAS Not enough good replicas to write.\r\n')
    expect(machines.run('a', "EVAL return(redis.call('SET','k','v')) 0")).toMatch(/^-NOREPLICAS /)
    expect(machines.run('a', 'GET k')).toBe('$1\r\nv\r\n')
    machines.heal()
    machines.pass(2000)
    expect(machines.run('a', 'SET k v')).toBe('+OK\r\n')
  })

  it('does not refuse writes if the option is not set', () => {
    expect(machinesWith().run('a', 'SET k v')).toBe('+OK\r\n')
  })
})
