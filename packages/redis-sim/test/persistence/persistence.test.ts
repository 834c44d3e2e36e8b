import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'
import type { RedisConfig } from '../../src/config.ts'

/** Runs commands, lets so many ms pass, takes the image, and starts a server from it. */
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

describe('a server that keeps nothing', () => {
  it('comes back empty', () => {
    const disk = new Disk({})
    disk.run('SET k v')
    expect(disk.machines.servers.get('a')!.durableImage()).toBeNull()
    disk.restart()
    expect(disk.run('DBSIZE')).toBe(':0\r\n')
  })
})

describe('snapshots', () => {
  it('bring back what was saved, of every type, and nothing that came later', () => {
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

  it('count when they are written, and until then the one before does', () => {
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

  it('are taken by themselves at save points', () => {
    const disk = new Disk({ save: '60 2' })
    disk.run('SET k 1')
    disk.machines.pass(70_000)
    expect(disk.machines.servers.get('a')!.durableImage()).toBeNull()
    disk.run('SET k 2')
    disk.machines.pass(0)
    disk.restart()
    expect(disk.run('GET k')).toBe('$1\r\n2\r\n')
  })

  it('are taken by FLUSHALL where there are save points: what was flushed stays away', () => {
    for (const save of ['', '3600 1000']) {
      const disk = new Disk({ save })
      disk.run('SET k 1', 'SAVE', 'FLUSHALL')
      disk.restart()
      expect(disk.run('DBSIZE')).toBe(save === '' ? ':1\r\n' : ':0\r\n')
    }
  })

  it('are taken one at a time: a save point that comes while one is being written waits', () => {
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

  it('leave out the script cache, and what expired meanwhile', () => {
    const disk = new Disk({})
    const sha = disk.run('SCRIPT LOAD return(1)').slice(5, 45)
    disk.run('SET k v PX 100', 'SET kept v', 'SAVE')
    disk.machines.pass(200)
    disk.restart()
    expect(disk.run(`EVALSHA ${sha} 0`)).toMatch(/^-NOSCRIPT/)
    expect(disk.run('DBSIZE')).toBe(':1\r\n')
  })

  it('are read while everybody is told LOADING', () => {
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
  it('is as it was after a server that died while it read it', () => {
    const disk = new Disk({ appendonly: true, appendfsync: 'always', loadingUs: 300_000 })
    disk.run('SET k 1')
    disk.restart()
    disk.machines.pass(100)
    disk.restart()
    disk.machines.pass(300)
    expect(disk.run('GET k')).toBe('$1\r\n1\r\n')
  })

  it('under `always` loses nothing', () => {
    const disk = new Disk({ appendonly: true, appendfsync: 'always' })
    disk.run('SET k 1', 'INCR k', 'SELECT 3')
    disk.restart()
    expect(disk.run('GET k')).toBe('$1\r\n2\r\n')
  })

  it('under `everysec` loses what came since the last second began, where the machine dies', () => {
    const disk = new Disk({ appendonly: true })
    disk.machines.pass(1000)
    disk.run('SET a 1', 'SET b 1')
    disk.machines.pass(1000)
    disk.run('SET c 1')
    disk.machines.pass(900)
    disk.restart()
    // The first of a second is synced with what waited; what follows waits for the next second.
    expect(disk.run('KEYS *')).toBe('*2\r\n$1\r\na\r\n$1\r\nb\r\n')
  })

  it('under `everysec` loses nothing after a quiet second, nor where only the process dies', () => {
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

  it('holds effects: points in time, and a transaction whole or not at all', () => {
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

  it('begins when it is switched on, and is not read where it is off', () => {
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

  it('goes on from a snapshot that was saved when nothing was written after', () => {
    const disk = pair({})
    disk.run('SAVE')
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:0 sync_partial_ok:1 sync_partial_err:0')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n1\r\n')
  })

  it('begins anew where the replica had more than the snapshot', () => {
    const disk = pair({})
    disk.run('SAVE', 'SET k 2')
    disk.machines.pass(10)
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:0 sync_partial_err:1')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n1\r\n')
  })

  it('begins anew after an append-only file, which does not tell the history', () => {
    const disk = pair({ appendonly: true, appendfsync: 'always' })
    disk.restart()
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:0 sync_partial_err:1')
  })

  it('of a replica goes on from the data set that it was once sent', () => {
    const disk = pair({})
    const image = disk.machines.servers.get('b')!.durableImage()
    disk.machines.crash('b')
    disk.run('SET k 2')
    disk.machines.start('b', { replicaof: 'a 6379' }, { image })
    disk.machines.pass(2500)
    expect(stats(disk)).toBe('sync_full:1 sync_partial_ok:1 sync_partial_err:0')
    expect(disk.machines.run('b', 'GET k')).toBe('$1\r\n2\r\n')
  })

  it('keeps what CONFIG REWRITE wrote: a primary that was demoted stays so', () => {
    const disk = pair({})
    disk.machines.run('b', 'REPLICAOF NO ONE')
    disk.run('REPLICAOF b 6379', 'CONFIG REWRITE')
    const { savedConfig } = disk.machines.servers.get('a')!
    disk.machines.crash('a')
    disk.machines.start('a', savedConfig)
    expect(disk.machines.info('a')).toMatchObject({ role: 'slave', master_host: 'b' })
  })
})
