import { describe, expect, it } from 'vitest'
import { randomSequences } from '../../fidelity/generate/sequences.ts'
import { MachinesByHand } from '../../fidelity/replication/machines-by-hand.ts'
import { encodeCommand } from '../../src/resp/encode-command.ts'
import { ClientByHand } from '../server-by-hand.ts'

/**
 * Sends random commands of clients to `a`. The server `a` has the replica `b`, and syncs its
 * append-only file at every write.
 */
function afterRandomCommands(seed: number): MachinesByHand {
  const machines = new MachinesByHand()
  machines.start('a', { appendonly: true, appendfsync: 'always' })
  machines.start('b', { replicaof: 'a 6379' })
  machines.pass(1500)
  for (const { connections, steps } of randomSequences(seed, 4000)) {
    const clients = Array.from({ length: connections }, () => new ClientByHand(machines.servers.get('a')!))
    for (const step of steps) {
      machines.nowUs += 1000
      if (step.kind === 'command') clients[step.on]!.raw(encodeCommand(step.args))
    }
    for (const { connection } of clients) connection.close()
  }
  machines.pass(3000)
  return machines
}

const keys = (machines: MachinesByHand, name: string) => machines.servers.get(name)!.describeKeys()
const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

describe.each(seeds)('after random commands (seed %i)', (seed) => {
  const machines = afterRandomCommands(seed)
  const before = keys(machines, 'a')

  it('a replica equals its primary', () => {
    expect(before.length).toBeGreaterThan(0)
    expect(keys(machines, 'b')).toEqual(before)
    expect(machines.info('b').master_repl_offset).toBe(machines.info('a').master_repl_offset)
    expect(machines.unsupported.filter((what) => what.startsWith("a primary's"))).toEqual([])
  })

  it('a server that starts from the append-only file or the snapshot has the same data', () => {
    machines.run('a', 'SAVE')
    const image = machines.servers.get('a')!.durableImage()!
    machines.start('from-log', { appendonly: true }, { image })
    machines.start('from-snapshot', {}, { image })
    expect(keys(machines, 'from-log')).toEqual(keys(machines, 'a'))
    expect(keys(machines, 'from-snapshot')).toEqual(keys(machines, 'a'))
  })
})
