/**
 * A real primary with replicas, and optional Sentinels, on free loopback ports. Replicas stall by
 * SIGSTOP: they stay attached, acknowledge nothing, and can still be promoted once they resume.
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
  /** The server executes and acknowledges nothing until `wake`. */
  stall(): void
  wake(): void
  kill(): Promise<void>
}

export interface Deployment {
  readonly servers: Server[]
  /** `flags` as on the command line. Uses a free port, or the port of a dead server. */
  start(flags?: readonly string[], port?: number): Promise<Server>
  /** Resolves when it is attached and follows writes. */
  startReplica(of: Server, flags?: readonly string[], port?: number): Promise<Server>
  /** Resolves when all of them have all data of the primary and follow writes. */
  attached(primary: Server, replicas: readonly Server[]): Promise<void>
  /** A Sentinel that monitors the primary as `main`. Resolves when it knows `replicas` replicas. */
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
    client.on('error', () => {}) // refused if the server was killed
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
 * A replica that is `online` at its primary with its link up may not get the stream yet: if its
 * first acknowledgement comes before the primary has reaped the child that sent the data, the
 * stream begins only with the next one, up to a second later. Therefore, it must acknowledge a
 * later write.
 */
async function attached(primary: Server, replicas: readonly Server[]): Promise<void> {
  for (const { client, port } of replicas) {
    await until(async () => stateOf(port, await primary.client.info('replication'))?.online === true)
    await until(async () => (await client.info('replication')).includes('master_link_status:up'))
  }
  await primary.client.publish('attached', '') // is replicated, and changes no data
  const written = Number(/^master_repl_offset:(\d+)/m.exec(await primary.client.info('replication'))![1])
  await until(async () => {
    await primary.client.wait(replicas.length, 1000)
    const info = await primary.client.info('replication')
    return replicas.every(({ port }) => (stateOf(port, info)?.acknowledged ?? 0) >= written)
  })
}

/** The state of the replica on that port in the INFO of the primary. */
function stateOf(port: number, info: string): { online: boolean; acknowledged: number } | undefined {
  const found = new RegExp(`^slave\\d+:.*port=${port},state=(\\w+),offset=(\\d+)`, 'm').exec(info)
  return found === null ? undefined : { online: found[1] === 'online', acknowledged: Number(found[2]) }
}

/**
 * Polls until the condition is true, up to the time-out of the test, and yields the processor in
 * between.
 */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
