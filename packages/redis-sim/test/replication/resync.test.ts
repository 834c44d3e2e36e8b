import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'

/** `b` and `c` follow `a`. */
function three(config: object = {}): MachinesByHand {
  const machines = new MachinesByHand()
  machines.start('a', config)
  machines.start('b', { replicaof: 'a 6379', ...config })
  machines.start('c', { replicaof: 'a 6379', ...config })
  machines.pass(1500)
  machines.run('a', 'SET k 1')
  machines.pass(10)
  return machines
}

const stats = (machines: MachinesByHand, name: string) =>
  machines
    .run(name, 'INFO stats')
    .match(/sync_\w+:\d+/g)!
    .join(' ')

describe('a link that was cut', () => {
  it('continues at the offset of the replica if the backlog contains that offset', () => {
    const machines = three()
    machines.partition('a', 'b')
    machines.run('a', 'SET k 2')
    machines.heal()
    machines.pass(1500)
    expect(machines.run('b', 'GET k')).toBe('$1\r\n2\r\n')
    expect(stats(machines, 'a')).toBe('sync_full:2 sync_partial_ok:1 sync_partial_err:0')
  })

  it('causes a full resync if the backlog no longer contains the offset of the replica', () => {
    const machines = three({ replBacklogSize: 16384 })
    machines.partition('a', 'b')
    for (let at = 0; at < 20; at++) machines.run('a', `SET k${at} ${'x'.repeat(1000)}`)
    machines.heal()
    machines.pass(1500)
    expect(machines.run('b', 'DBSIZE')).toBe(':21\r\n')
    expect(stats(machines, 'a')).toBe('sync_full:3 sync_partial_ok:0 sync_partial_err:1')
  })
})

describe('a promotion', () => {
  it('keeps the old replication id, so that other replicas continue without a full resync', () => {
    const machines = three()
    const before = machines.info('b')
    machines.run('b', 'REPLICAOF NO ONE')
    machines.run('c', 'REPLICAOF b 6379')
    machines.pass(1500)
    const after = machines.info('b')
    expect(after.master_replid2).toBe(before.master_replid)
    expect(Number(after.second_repl_offset)).toBe(Number(before.master_repl_offset) + 1)
    expect(after.master_replid).not.toBe(before.master_replid)
    expect(stats(machines, 'b')).toBe('sync_full:0 sync_partial_ok:1 sync_partial_err:0')
    machines.run('b', 'SET k 2')
    machines.pass(1)
    expect(machines.run('c', 'GET k')).toBe('$1\r\n2\r\n')
    expect(machines.info('c').master_replid).toBe(after.master_replid)
  })

  it('loses acknowledged writes that were not replicated when the old primary becomes a replica', () => {
    const machines = three()
    machines.partition('a', 'b')
    machines.partition('a', 'c')
    expect(machines.run('a', 'SET k lost')).toBe('+OK\r\n')
    machines.run('b', 'REPLICAOF NO ONE')
    machines.run('b', 'SET other 1')
    machines.heal()
    machines.run('a', 'REPLICAOF b 6379')
    machines.pass(1500)
    expect(machines.run('a', 'GET k')).toBe('$1\r\n1\r\n')
    expect(machines.run('a', 'GET other')).toBe('$1\r\n1\r\n')
  })

  it('can be reversed: primary, replica, primary', () => {
    const machines = three()
    machines.run('b', 'REPLICAOF NO ONE')
    machines.run('a', 'REPLICAOF b 6379')
    machines.pass(1500)
    // The old primary has no write that the new primary lacks, so there is no full resync.
    expect(stats(machines, 'b')).toBe('sync_full:0 sync_partial_ok:1 sync_partial_err:0')
    machines.run('b', 'SET k 2')
    machines.pass(10)
    machines.run('a', 'REPLICAOF NO ONE')
    machines.run('b', 'REPLICAOF a 6379')
    machines.pass(1500)
    expect(machines.run('a', 'SET k 3')).toBe('+OK\r\n')
    machines.pass(10)
    expect(machines.run('b', 'GET k')).toBe('$1\r\n3\r\n')
    expect(machines.info('b').master_replid).toBe(machines.info('a').master_replid)
  })

  it('forces a full resync on the first primary if a second promotion follows', () => {
    const machines = three()
    for (const [up, follower] of [
      ['b', 'c'],
      ['c', 'b'],
    ] as const) {
      machines.run(up, 'REPLICAOF NO ONE')
      machines.run(up, `SET by ${up}`)
      machines.run(follower, `REPLICAOF ${up} 6379`)
      machines.pass(1500)
    }
    machines.run('a', 'REPLICAOF c 6379')
    machines.pass(1500)
    expect(machines.run('a', 'GET by')).toBe('$1\r\nc\r\n')
    expect(stats(machines, 'c')).toBe('sync_full:1 sync_partial_ok:1 sync_partial_err:1')
  })

  it('creates an empty primary if the replica has no data set', () => {
    const machines = three()
    machines.start('d', { replicaof: 'a 6379' })
    machines.partition('a', 'd')
    machines.pass(1500)
    machines.run('d', 'REPLICAOF NO ONE')
    machines.run('b', 'REPLICAOF d 6379')
    machines.pass(1500)
    expect(machines.run('b', 'DBSIZE')).toBe(':0\r\n')
  })
})

describe('a full resync', () => {
  /** `b` has a data set from another history, and is receiving the data set of `a`. */
  function underWay(): MachinesByHand {
    const machines = new MachinesByHand()
    machines.start('a', { fullSyncUs: 1_000_000 })
    machines.run('a', 'SET new 1')
    machines.start('b', { loadingUs: 500_000 })
    machines.run('b', 'SET old 1')
    machines.run('b', 'REPLICAOF a 6379')
    machines.pass(700)
    return machines
  }

  it('keeps the old data until the new data has arrived, then answers LOADING, and then has the new data', () => {
    const machines = underWay()
    expect(machines.info('b')).toMatchObject({ master_sync_in_progress: '1', master_link_status: 'down' })
    expect(machines.run('b', 'ROLE')).toMatch(/sync/)
    expect(machines.run('b', 'GET old')).toBe('$1\r\n1\r\n')
    machines.pass(600)
    expect(machines.run('b', 'GET old')).toBe('-LOADING Redis is loading the dataset in memory\r\n')
    expect(machines.run('b', 'REPLICAOF NO ONE')).toMatch(/^-LOADING/)
    machines.pass(500)
    expect(machines.run('b', 'KEYS *')).toBe('*1\r\n$3\r\nnew\r\n')
    expect(machines.info('b').master_link_status).toBe('up')
  })

  it('leaves the replica with the old data if a promotion ends the resync', () => {
    const machines = underWay()
    machines.run('b', 'REPLICAOF NO ONE')
    machines.pass(5000)
    expect(machines.run('b', 'KEYS *')).toBe('*1\r\n$3\r\nold\r\n')
    expect(machines.info('a').connected_slaves).toBe('0')
  })

  it('starts again if the connection is cut', () => {
    const machines = underWay()
    machines.partition('a', 'b')
    machines.heal()
    machines.pass(700)
    expect(machines.run('b', 'GET old')).toBe('$1\r\n1\r\n')
    machines.pass(2000)
    expect(machines.run('b', 'KEYS *')).toBe('*1\r\n$3\r\nnew\r\n')
  })

  it('starts again if FLUSHALL deletes the data being sent', () => {
    const machines = underWay()
    machines.run('a', 'FLUSHALL')
    machines.run('a', 'SET newer 1')
    machines.pass(700)
    expect(machines.run('b', 'GET old')).toBe('$1\r\n1\r\n')
    machines.pass(2000)
    expect(machines.run('b', 'KEYS *')).toBe('*1\r\n$5\r\nnewer\r\n')
  })

  it('is followed by the writes that happened during the resync, in order', () => {
    const machines = underWay()
    machines.run('a', 'INCR new')
    machines.pass(550)
    machines.run('a', 'INCR new')
    machines.pass(2000)
    expect(machines.run('b', 'GET new')).toBe('$1\r\n3\r\n')
    expect(machines.info('b').master_repl_offset).toBe(machines.info('a').master_repl_offset)
  })

  it('waits for repl-diskless-sync-delay, so that more replicas can join', () => {
    const machines = new MachinesByHand()
    machines.start('a', { replDisklessSyncDelay: 5 })
    machines.run('a', 'SET new 1')
    machines.start('b', { replicaof: 'a 6379' })
    machines.pass(4000)
    expect(machines.info('a').slave0).toMatch(/state=wait_bgsave/)
    machines.pass(2100)
    expect(machines.run('b', 'DBSIZE')).toBe(':1\r\n')
  })
})

describe('a replica of a replica', () => {
  it('has the data of the first primary in the chain, and is disconnected if its own primary does a full resync', () => {
    const machines = new MachinesByHand()
    machines.start('a')
    machines.start('b', { replicaof: 'a 6379' })
    machines.pass(1500)
    machines.start('c', { replicaof: 'b 6379' })
    machines.pass(1500)
    machines.run('a', 'SET k 1')
    machines.pass(10)
    expect(machines.run('c', 'GET k')).toBe('$1\r\n1\r\n')
    expect(machines.info('c').master_repl_offset).toBe(machines.info('a').master_repl_offset)
    machines.crash('a')
    machines.start('a')
    machines.pass(3000)
    expect(machines.run('c', 'DBSIZE')).toBe(':0\r\n')
  })
})

describe('a primary that restarts empty', () => {
  it('empties its replicas', () => {
    const machines = three()
    machines.crash('a')
    machines.start('a')
    machines.pass(2500)
    expect(machines.run('b', 'DBSIZE')).toBe(':0\r\n')
    expect(machines.run('c', 'DBSIZE')).toBe(':0\r\n')
  })
})

describe('a replica that acknowledged and restarts empty', () => {
  it('loses writes that WAIT had confirmed, if it is promoted', () => {
    const machines = three()
    const client = machines.client('a')
    client.run('SET k precious')
    client.run('WAIT 2 0')
    machines.pass(1)
    expect(client.taken()).toBe(':2\r\n')
    machines.crash('b')
    machines.start('b', { replicaof: 'a 6379' })
    machines.crash('a')
    machines.pass(100)
    machines.run('b', 'REPLICAOF NO ONE')
    expect(machines.run('b', 'GET k')).toBe('$-1\r\n')
  })
})
