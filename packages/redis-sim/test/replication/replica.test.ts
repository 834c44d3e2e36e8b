import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'
import { encode } from '../server-by-hand.ts'

function pair(ofReplica: object = {}): MachinesByHand {
  const machines = new MachinesByHand()
  machines.start('a')
  machines.start('b', { replicaof: 'a 6379', ...ofReplica })
  machines.pass(1500)
  return machines
}

const readOnly = "-READONLY You can't write against a read only replica.\r\n"

describe('a read-only replica', () => {
  it('refuses to write by a command, in a transaction, and in a script', () => {
    const machines = pair()
    expect(machines.run('b', 'SET k v')).toBe(readOnly)
    const client = machines.client('b')
    client.connection.receive(encode('MULTI') + encode('SET k v') + encode('EXEC'))
    expect(client.taken()).toBe(`+OK\r\n${readOnly}-EXECABORT Transaction discarded because of previous errors.\r\n`)
    expect(machines.run('b', "EVAL return(redis.call('SET','k','v')) 0")).toMatch(
      /^-READONLY You can't write against a read only replica\. script: /,
    )
    expect(machines.run('b', "EVAL return(redis.call('PING')) 0")).toBe('+PONG\r\n')
  })

  it('refuses to execute commands that were queued while the server was a primary', () => {
    const machines = pair()
    const client = machines.client('a')
    client.run('MULTI')
    client.run('SET k v')
    machines.run('a', 'REPLICAOF b 6379')
    expect(client.run('EXEC')).toBe(
      "-EXECABORT Transaction discarded because of: READONLY You can't write against a read only replica.\r\n",
    )
  })

  it('accepts writes without replica-read-only', () => {
    expect(pair({ replicaReadOnly: false }).run('b', 'SET k v')).toBe('+OK\r\n')
  })
})

describe('a replica with a key that expires', () => {
  it('hides the expired key, and keeps it until the primary deletes it', () => {
    const machines = pair()
    machines.run('a', 'SET k v PX 100')
    machines.pass(1)
    machines.partition('a', 'b')
    machines.pass(5000)
    expect(machines.run('b', 'GET k')).toBe('$-1\r\n')
    expect(machines.run('b', 'EXISTS k')).toBe(':0\r\n')
    expect(machines.run('b', 'DBSIZE')).toBe(':1\r\n')
    machines.heal()
    machines.pass(2000)
    machines.run('a', 'GET k')
    machines.pass(1)
    expect(machines.run('b', 'DBSIZE')).toBe(':0\r\n')
  })

  it('does not delete the key if the deadline has already passed when the PEXPIRE of the primary arrives', () => {
    const machines = pair()
    machines.run('a', 'SET k v')
    machines.run('a', 'PEXPIRE k 2')
    machines.run('a', 'PERSIST k')
    machines.nowUs += 10_000
    machines.pass(1)
    expect(machines.run('b', 'GET k')).toBe('$1\r\nv\r\n')
  })

  it('applies commands of the primary to the key, although it has expired by the clock of the replica', () => {
    const machines = pair()
    machines.run('a', 'SET k v PX 2')
    machines.run('a', 'APPEND k w')
    machines.run('a', 'PERSIST k')
    // The commands arrive late: by the clock of the replica, the key has expired.
    machines.nowUs += 10_000
    machines.pass(1)
    expect(machines.run('b', 'GET k')).toBe('$2\r\nvw\r\n')
  })
})

describe('a replica without its primary', () => {
  it('answers from its data, or refuses without replica-serve-stale-data', () => {
    const machines = pair()
    machines.run('a', 'SET k v')
    machines.pass(1)
    machines.partition('a', 'b')
    expect(machines.info('b').master_link_status).toBe('down')
    expect(machines.run('b', 'GET k')).toBe('$1\r\nv\r\n')
    machines.run('b', 'CONFIG SET replica-serve-stale-data no')
    expect(machines.run('b', 'GET k')).toBe(
      "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
    )
    expect(machines.run('b', 'INFO replication')).toMatch(/role:slave/)
    machines.heal()
    machines.pass(1500)
    expect(machines.run('b', 'GET k')).toBe('$1\r\nv\r\n')
  })

  it('reports how long the link has been down, and retries every second', () => {
    const machines = pair()
    machines.crash('a')
    machines.pass(3000)
    expect(machines.info('b').master_link_down_since_seconds).toMatch(/^[34]$/)
    machines.start('a')
    machines.pass(1100)
    expect(machines.info('b').master_link_status).toBe('up')
  })

  it('closes the link to a silent primary after repl-timeout', () => {
    const machines = pair({ replTimeout: 5 })
    machines.crash('a')
    for (const wire of machines.wires) wire.close()
    machines.pass(8000)
    expect(machines.info('b').master_link_status).toBe('down')
  })
})

describe('a connection that became a replica', () => {
  it('may not use keys, and is listed by its type', () => {
    const machines = pair()
    const client = machines.client('a')
    client.run('REPLCONF capa eof capa psync2')
    expect(client.run('PSYNC ? -1')).toMatch(/^\+FULLRESYNC [0-9a-f]{40} \d+\r\n\$EOF:/)
    expect(client.run('GET k')).toBe("-ERR Replica can't interact with the keyspace\r\n")
    expect(machines.run('a', 'CLIENT LIST TYPE replica').match(/flags=S/g)).toHaveLength(2)
    expect(machines.run('a', 'CLIENT KILL TYPE replica')).toBe(':2\r\n')
    expect(client.closedByServer).toBe(true)
    machines.pass(10)
    expect(machines.info('a').connected_slaves).toBe('1')
  })

  it('must send the password of its primary', () => {
    const machines = new MachinesByHand()
    machines.start('a', { requirepass: 'secret' })
    machines.start('b', { replicaof: 'a 6379', masterauth: 'wrong' })
    machines.start('c', { replicaof: 'a 6379', masterauth: 'secret' })
    machines.pass(1500)
    expect(machines.info('b').master_link_status).toBe('down')
    expect(machines.info('c').master_link_status).toBe('up')
  })
})
