import { describe, expect, it } from 'vitest'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'

/** `a` is the primary. `b` follows `a` and has received its data set. */
function pair(): MachinesByHand {
  const machines = new MachinesByHand()
  machines.start('a')
  machines.run('a', 'SET before 1')
  machines.start('b', { replicaof: 'a 6379' })
  machines.pass(10)
  return machines
}

describe('a replica', () => {
  it('receives the data set, and then each change', () => {
    const machines = pair()
    expect(machines.run('b', 'GET before')).toBe('$1\r\n1\r\n')
    machines.run('a', 'SET after 2')
    expect(machines.run('b', 'GET after')).toBe('$-1\r\n')
    machines.pass(1)
    expect(machines.run('b', 'GET after')).toBe('$1\r\n2\r\n')
    expect(machines.unsupported).toEqual([])
  })

  it('has the same history as its primary, byte by byte', () => {
    const machines = pair()
    machines.run('a', 'SET k v')
    machines.run('a', 'INCR n')
    machines.pass(2000)
    const [a, b] = [machines.info('a'), machines.info('b')]
    expect(b.master_replid).toBe(a.master_replid)
    expect(b.master_repl_offset).toBe(a.master_repl_offset)
    expect(b.slave_repl_offset).toBe(a.master_repl_offset)
    expect(b.master_link_status).toBe('up')
    expect(a.slave0).toBe(`ip=10.0.0.2,port=6379,state=online,offset=${a.master_repl_offset},lag=0`)
  })
})
