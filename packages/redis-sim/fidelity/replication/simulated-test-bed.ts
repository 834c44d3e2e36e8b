import { closedMark, encodeCommand } from 'test-servers'
import { defaultConfig, type RedisConfig } from '../../src/config.ts'
import { parameters } from '../../src/parameters.ts'
import type { DurableImage } from '../../src/persistence/image.ts'
import { MachinesByHand } from './machines-by-hand.ts'
import type { Config, ReplicationTestBed, TestBedClient } from './test-bed.ts'

/** Simulated servers on one clock, which advances when the story waits. */
export class SimulatedReplicationTestBed implements ReplicationTestBed {
  readonly kind = 'simulated'
  readonly machines = new MachinesByHand()
  private readonly disks = new Map<string, DurableImage | null>()

  async start(name: string, config: Config = {}, follows?: string): Promise<void> {
    this.machines.start(name, configOf(config, follows))
  }

  async again(name: string, disk: 'kept' | 'lost', config: Config = {}, follows?: string): Promise<void> {
    const image = disk === 'kept' ? this.disks.get(name)! : null
    this.machines.start(name, configOf(config, follows), { image })
    this.machines.pass(10)
  }

  async kill(name: string): Promise<void> {
    this.disks.set(name, this.machines.servers.get(name)!.durableImage('process'))
    this.machines.crash(name)
  }

  async client(name: string): Promise<TestBedClient> {
    const client = this.machines.client(name)
    const taken = () => client.taken() + (client.closedByServer ? closedMark : '')
    return {
      run: async (...words) => {
        client.connection.receive(encodeCommand(words))
        // The timeout is the same as for a real server.
        for (let waited = 0; client.written === '' && waited < 1500; waited += 5) this.machines.pass(5)
        return taken()
      },
      send: async (...words) => client.connection.receive(encodeCommand(words)),
      receive: async () => taken(),
    }
  }

  async follow(name: string, primary: string | null): Promise<string> {
    const to = primary === null ? ['NO', 'ONE'] : [primary, '6379']
    return (await this.client(name)).run('REPLICAOF', ...to)
  }

  async cut(replica: string, primary: string): Promise<void> {
    this.machines.partition(replica, primary)
  }

  async heal(): Promise<void> {
    this.machines.heal()
  }

  async freeze(name: string): Promise<void> {
    this.machines.freeze(name)
  }

  async thaw(name: string): Promise<void> {
    this.machines.thaw(name)
  }

  async sleep(ms: number): Promise<void> {
    this.machines.pass(ms)
  }

  async stop(): Promise<void> {}
}

/**
 * Converts the configuration. If rdb-key-save-delay makes a real server write its data set slowly,
 * the simulated transfer is as slow.
 */
function configOf(given: Config, follows: string | undefined): Partial<RedisConfig> {
  const config: RedisConfig = { ...defaultConfig, replDisklessSyncDelay: 0 }
  for (const [name, value] of Object.entries(given)) {
    if (name === 'rdb-key-save-delay') config.fullSyncUs = Number(value) * 10
    else parameters[name]!.write(config, value)
  }
  if (follows !== undefined) config.replicaof = `${follows} 6379`
  return config
}
