/**
 * A real primary with replicas, and Sentinels where asked for, on free loopback ports. Replicas
 * stall by SIGSTOP: they stay attached, acknowledge nothing, and can still be promoted once they
 * are woken.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Redis } from 'ioredis'
import { freePort, startRedis } from 'test-servers'
import { afterAll, beforeAll } from 'vitest'
import { needs, pathOf } from '../needs/needs.ts'

export interface Server {
  readonly port: number
  readonly client: Redis
  /** Executes nothing and acknowledges nothing, until it is woken. */
  stall(): void
  wake(): void
  kill(): Promise<void>
}

export interface Deployment {
  readonly servers: Server[]
  /** `flags` as on the command line; on a free port, or that of a server which died. */
  start(flags?: readonly string[], port?: number): Promise<Server>
  /** Resolves when it is attached, and follows what is written. */
  startReplica(of: Server, flags?: readonly string[], port?: number): Promise<Server>
  /** Resolves when all of them have all data of the primary, and follow what is written. */
  attached(primary: Server, replicas: readonly Server[]): Promise<void>
  /**
   * A Sentinel that watches the primary under the name `main`. Resolves when it knows so many
   * replicas.
   */
  startSentinel(of: Server, replicas: number): Promise<Server>
}

export function describeOnReplicas(name: string, suite: (deployment: Deployment) => void): void {
  needs({ redis: '7.0' }).describe(name, () => {
    const deployment = {} as Deployment
    let folder: string
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'onceproof-'))
      Object.assign(deployment, deploymentIn(folder))
    })
    afterAll(async () => {
      for (const { client, kill } of deployment.servers) {
        client.disconnect()
        await kill()
      }
      rmSync(folder, { recursive: true })
    })
    suite(deployment)
  })
}

function deploymentIn(folder: string): Deployment {
  const servers: Server[] = []
  const launch = async (port: number, more: readonly string[], commandLine?: readonly string[]): Promise<Server> => {
    const redis = await startRedis(pathOf('redis'), more, { port, folder, ...(commandLine && { commandLine }) })
    const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 20, maxRetriesPerRequest: null })
    client.on('error', () => {}) // refused when the server was killed
    const server = { port, client, stall: redis.pause, wake: redis.resume, kill: redis.kill }
    servers.push(server)
    return server
  }
  const start = async (flags: readonly string[] = [], given?: number) => {
    const port = given ?? (await freePort())
    return launch(port, ['--dbfilename', `${port}.rdb`, '--repl-diskless-sync-delay', '0', ...flags])
  }
  return {
    servers,
    start,
    async startReplica(of, flags = [], port) {
      const replica = await start(['--replicaof', '127.0.0.1', String(of.port), ...flags], port)
      await attached(of, [replica])
      return replica
    },
    attached,
    async startSentinel(of, replicas) {
      const port = await freePort()
      const file = path.join(folder, `sentinel-${port}.conf`)
      const watched = [
        `monitor main 127.0.0.1 ${of.port} 1`,
        'down-after-milliseconds main 500',
        'failover-timeout main 3000',
      ]
      writeFileSync(
        file,
        [`port ${port}`, 'bind 127.0.0.1', ...watched.map((line) => `sentinel ${line}`), ''].join('\n'),
      )
      const sentinel = await launch(port, [], [file, '--sentinel'])
      await until(async () => ((await sentinel.client.call('SENTINEL', 'REPLICAS', 'main')) as []).length === replicas)
      return sentinel
    },
  }
}

/**
 * A replica that is `online` at its primary, and says that its link is up, need not be sent
 * anything yet: when its first acknowledgement comes before the primary has reaped the child that
 * sent the data, the stream begins only with the next one, up to a second later. So it is asked to
 * acknowledge something that is written afterwards.
 */
async function attached(primary: Server, replicas: readonly Server[]): Promise<void> {
  for (const { client, port } of replicas) {
    await until(async () => stateOf(port, await primary.client.info('replication'))?.online === true)
    await until(async () => (await client.info('replication')).includes('master_link_status:up'))
  }
  await primary.client.publish('attached', '') // goes to replicas, and changes no data
  const written = Number(/^master_repl_offset:(\d+)/m.exec(await primary.client.info('replication'))![1])
  await until(async () => {
    await primary.client.wait(replicas.length, 1000)
    const info = await primary.client.info('replication')
    return replicas.every(({ port }) => (stateOf(port, info)?.acknowledged ?? 0) >= written)
  })
}

/** What the primary's INFO says of the replica on that port. */
function stateOf(port: number, info: string): { online: boolean; acknowledged: number } | undefined {
  const found = new RegExp(`^slave\\d+:.*port=${port},state=(\\w+),offset=(\\d+)`, 'm').exec(info)
  return found === null ? undefined : { online: found[1] === 'online', acknowledged: Number(found[2]) }
}

/**
 * Asks again until it is so; the test's own time-out ends the asking. Between, others may have the
 * processor.
 */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
