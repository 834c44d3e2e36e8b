import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'
import type { RedisConfig } from '../../src/config.ts'

/** A server that can be restarted from the image of its disk. */
class Disk {
  readonly machines = new MachinesByHand()

  constructor(readonly config: Partial<RedisConfig>) {
    this.machines.start('a', config)
  }

  run(...commands: string[]): string {
    return commands.map((text) => this.machines.run('a', text)).join('')
  }

  restart(lost: 'process' | 'machine' = 'machine', config = this.config): void {
    const image = this.machines.servers.get('a')!.durableImage(lost)
    this.machines.crash('a')
    this.machines.start('a', config, { image })
  }
}

describe('a server without persistence', () => {
  it('is empty after a restart', () => {
    const disk = new Disk({})
    disk.run('SET k v')
    expect(disk.machines.servers.get('a')!.durableImage()).toBeNull()
    disk.restart()
    expect(disk.run('DBSIZE')).toBe(':0\r\n')
  })
})

describe('snapshots', () => {
  it('restore the saved data of every type, but no later data', () => {
    const disk = new Disk({})
    disk.run(
      'SET k v',
      'HSET h f v',
      'RPUSH l a b',
      'SADD s 1 2',
      'ZADD z 1.5 m',
      'XADD x 1-1 f v',
      'XGROUP CREATE x g 0',
    )
    disk.run('XREADGROUP GROUP g c STREAMS x >', 'EXPIRE k 100', 'SELECT 0', 'SAVE')
    const before = disk.machines.servers.get('a')!.describeKeys()
    disk.run('SET later 1')
    disk.restart()
    expect(disk.machines.servers.get('a')!.describeKeys()).toEqual(before)
    expect(disk.run('XPENDING x g')).toMatch(/1-1/)
  })

  it('become valid when they are complete; until then, the previous snapshot is valid', () => {
    const disk = new Disk({ savingUs: 1_000_000 })
    disk.run('SET k 1')
    expect(disk.run('BGSAVE')).toBe('+Background saving started\r\n')
    expect(disk.run('BGSAVE')).toBe('-ERR Background save already in progress\r\n')
    disk.run('SET k 2')
    disk.machines.pass(999)
    expect(disk.machines.servers.get('a')!.durableImage()).toBeNull()
    disk.machines.pass(1)
    disk.restart()
    expect(disk.run('GET k')).toBe('$1\r\n1\r\n')
  })

  it('are taken automatically at save points', () => {
    const disk = new Disk({ save: '60 2' })
    disk.run('SET k 1')
    disk.machines.pass(70_000)
    expect(disk.machines.servers.get('a')!.durableImage()).toBeNull()
    disk.run('SET k 2')
    disk.machines.pass(0)
    disk.restart()
    expect(disk.run('GET k')).toBe('$1\r\n2\r\n')
  })

  it('are taken by FLUSHALL if there are save points, so that flushed data does not return', () => {
    for (const save of ['', '3600 1000']) {
      const disk = new Disk({ save })
      disk.run('SET k 1', 'SAVE', 'FLUSHALL')
      disk.restart()
      expect(disk.run('DBSIZE')).toBe(save === '' ? ':1\r\n' : ':0\r\n')
    }
  })

  it('are taken one at a time: a save point waits for the end of a running save', () => {
    const disk = new Disk({ save: '1 1', savingUs: 1_000_000 })
    disk.run('SET k 1')
    disk.machines.pass(1900)
    disk.run('BGSAVE')
    disk.machines.pass(600)
    disk.run('FLUSHALL')
    disk.machines.pass(1000)
    disk.restart()
    expect(disk.run('DBSIZE')).toBe(':0\r\n')
  })

  it('do not restore the script cache, or keys that expired since the snapshot', () => {
    const disk = new Disk({})
    const sha = disk.run('SCRIPT LOAD return(1)').slice(5, 45)
    disk.run('SET k v PX 100', 'SET kept v', 'SAVE')
    disk.machines.pass(200)
    disk.restart()
    expect(disk.run(`EVALSHA ${sha} 0`)).toMatch(/^-NOSCRIPT/)
    expect(disk.run('DBSIZE')).toBe(':1\r\n')
  })

  it('are loaded while clients are answered LOADING', () => {
    const disk = new Disk({ loadingUs: 300_000 })
    disk.run('SET k v', 'SAVE')
    disk.restart()
    expect(disk.run('GET k')).toBe('-LOADING Redis is loading the dataset in memory\r\n')
    expect(disk.run('INFO persistence')).toMatch(/loading:1/)
    disk.machines.pass(300)
    expect(disk.run('GET k')).toBe('$1\r\nv\r\n')
  })
})

describe('the append-only file', () => {
  it('is unchanged if a server dies while loading it', () => {
    const disk = new Disk({ appendonly: true, appendfsync: 'always', loadingUs: 300_000 })
    disk.run('SET k 1')
    disk.restart()
    disk.machines.pass(100)
    disk.restart()
    disk.machines.pass(300)
    expect(disk.run('GET k')).toBe('$1\r\n1\r\n')
  })

  it('loses no write with `always`', () => {
    const disk = new Disk({ appendonly: true, appendfsync: 'always' })
    disk.run('SET k 1', 'INCR k', 'SELECT 3')
    disk.restart()
    expect(disk.run('GET k')).toBe('$1\r\n2\r\n')
  })

  it('with `everysec`, loses the writes since the last second began if the machine dies', () => {
    const disk = new Disk({ appendonly: true })
    disk.machines.pass(1000)
    disk.run('SET a 1', 'SET b 1')
    disk.machines.pass(1000)
    disk.run('SET c 1')
    disk.machines.pass(900)
    disk.restart()
    // The first write of a second is synced together with earlier unsynced writes. Later writes are
    // synced in the next second.
    expect(disk.run('KEYS *')).toBe('*2\r\n$1\r\na\r\n$1\r\nb\r\n')
  })

  it('with `everysec`, loses no write if the writes are more than a second old, or if only the process dies', () => {
    for (const [ms, lost] of [
      [1100, 'machine'],
      [10, 'process'],
    ] as const) {
      const disk = new Disk({ appendonly: true })
      disk.machines.pass(500)
      disk.run('SET a 1', 'SET b 1')
      disk.machines.pass(ms)
      disk.restart(lost)
      expect(disk.run('DBSIZE')).toBe(':2\r\n')
    }
  })

  it('contains effects: absolute deadlines, and whole transactions', () => {
    const disk = new Disk({ appendonly: true, appendfsync: 'always' })
    disk.run('SET k v EX 100')
    disk.run("EVAL redis.call('SET','a','1');redis.call('SET','b','1') 0")
    disk.machines.pass(50_000)
    const image = disk.machines.servers.get('a')!.durableImage()!
    const torn = image.log!.commands.slice(0, image.log!.commands.indexOf('EXEC') - 8)
    disk.restart()
    expect(disk.run('TTL k')).toBe(':50\r\n')
    expect(disk.run('DBSIZE')).toBe(':3\r\n')
    disk.machines.crash('a')
    disk.machines.start('a', disk.config, { image: { snapshot: null, log: { ...image.log!, commands: torn } } })
    expect(disk.run('DBSIZE')).toBe(':1\r\n')
  })

  it('begins when appendonly is turned on, and is not loaded while it is off', () => {
    const disk = new Disk({})
    disk.run('SET k v', 'CONFIG SET appendonly yes', 'SET l v', 'BGREWRITEAOF')
    disk.machines.pass(2000)
    disk.restart('machine', { appendonly: true })
    expect(disk.run('DBSIZE')).toBe(':2\r\n')
    disk.restart('machine', {})
    expect(disk.run('DBSIZE')).toBe(':0\r\n')
  })
})

describe('replication after a restart', () => {
  function pair(config: Partial<RedisConfig>): Disk {
    const disk = new Disk(config)
    disk.machines.start('b', { replicaof: 'a 6379' })
    disk.machines.pass(1500)
    disk.run('SET k 1')
    disk.machines.pass(10)
    return disk
  }
  const stats = (disk: Disk) =>
    disk
      .run('INFO stats')
      .match(/sync_\w+:\d+/g)!
      .join(' ')

  it('continues from a snapshot if there were no later writes', () => {
    const disk = pair({})
    disk.run('SAVE')
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:0 sync_partial_ok:1 sync_partial_err:0')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n1\r\n')
  })

  it('does a full resync if the replica had received more than the snapshot contains', () => {
    const disk = pair({})
    disk.run('SAVE', 'SET k 2')
    disk.machines.pass(10)
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:0 sync_partial_err:1')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n1\r\n')
  })

  it('does a full resync after an append-only file, which has no history', () => {
    const disk = pair({ appendonly: true, appendfsync: 'always' })
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:0 sync_partial_err:1')
  })

  it('continues on a restarted replica from the data set that the replica received before', () => {
    const disk = pair({})
    const image = disk.machines.servers.get('b')!.durableImage()
    disk.machines.crash('b')
    disk.run('SET k 2')
    disk.machines.start('b', { replicaof: 'a 6379' }, { image })
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:1 sync_partial_err:0')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n2\r\n')
  })

  it('keeps the configuration of CONFIG REWRITE: a demoted primary stays a replica', () => {
    const disk = pair({})
    disk.machines.run('b', 'REPLICAOF NO ONE')
    disk.run('REPLICAOF b 6379', 'CONFIG REWRITE')
    const { savedConfig } = disk.machines.servers.get('a')!
    disk.machines.crash('a')
    disk.machines.start('a', savedConfig)
    expect(disk.machines.info('a')).toMatchObject({ role: 'slave', master_host: 'b' })
  })
})
