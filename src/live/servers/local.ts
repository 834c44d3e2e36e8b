/** `--with local`: a redis-server from the path, which is started for each run. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePort } from 'test-servers'
import { assert } from 'virtual-node/assert'
import { LiveCluster } from '../cluster/live-cluster.ts'
import type { LiveEnvironment, Servers } from '../environment/environment.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { HeldCluster } from '../held/held-cluster.ts'
import { HeldSentinels } from '../held/held-sentinels.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { LoopbackProxy } from '../proxy/loopback-proxy.ts'
import { allStarted } from './asking.ts'
import { localSentinels } from './local-sentinels.ts'
import { RedisProcess } from './redis-process.ts'
import { SentinelDeployment } from './sentinel-deployment.ts'
import { identityOfProgram } from './server-identity.ts'
import { refusalOf } from './usual-servers.ts'

/** The server's name and version, such as `Redis 7.0.15`; null if there is no such program. */
export async function serverProgram(binary: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version'])
    return identityOfProgram(stdout) ?? `${binary} of an unknown version`
  } catch {
    return null
  }
}

/**
 * Opens the environment.
 * @throws LiveProblem if there is no redis-server
 */
export async function openLocal(directory: RunDirectory, proxy: LinkProxy, binary: string): Promise<LiveEnvironment> {
  const program = await serverProgram(binary)
  if (program === null)
    throw new LiveProblem(
      binary,
      'no such program; install it (Debian: apt-get install redis-server), or choose --with docker',
    )
  return {
    about: `local: ${program}, ${proxy.about}`,
    redisProxy: proxy,
    sinkProxy: proxy,
    endsInTurn: proxy instanceof LoopbackProxy,
    keyPrefix: null,
    close: () => proxy.close(),
    shapes: ['single', 'sentinel', 'cluster', 'independent'],
    refuses: (power) => refusalOf(power, 'redis'),
    async startHeld(wish) {
      const { start } = wish.redis.shards === undefined ? HeldSentinels : HeldCluster
      const held = await start(binary, directory, wish)
      return { machine: held.nodes[0]!.machine, held, close: () => held.close() }
    },
    async startServers(shape, { redis }) {
      if (shape === 'cluster') {
        assert(redis?.shards !== undefined, 'a Cluster is started as its plan has it')
        const cluster = await LiveCluster.start(binary, directory, redis)
        return { machine: cluster.nodes[0]!.machine, cluster, close: () => cluster.close() }
      }
      if (shape === 'sentinel') {
        const sentinels = await SentinelDeployment.start(localSentinels(directory, binary, proxy))
        return { machine: sentinels.nodes[0]!.machine, sentinels, close: () => sentinels.close() }
      }
      if (shape === 'independent') return startIndependent(directory, binary, redis?.independent ?? 1)
      const machine = await startRedis(directory, binary)
      return { machine, close: () => machine.kill() }
    },
  }
}

async function startIndependent(directory: RunDirectory, binary: string, servers: number): Promise<Servers> {
  const starting = Array.from({ length: servers }, () => startRedis(directory, binary))
  const close = async () => {
    const started = await Promise.allSettled(starting)
    for (const one of started) if (one.status === 'fulfilled') await one.value.kill()
  }
  try {
    const independent = await allStarted(starting)
    return { machine: independent[0]!, independent, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The number of attempts to start a server, because another program may take a free port first. */
const attempts = 3

async function startRedis(directory: RunDirectory, binary: string): Promise<RedisProcess> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const machine = new RedisProcess({
      binary,
      port,
      folder: directory.folder,
      env: directory.env,
      started: directory.started,
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    })
    try {
      await machine.start()
      return machine
    } catch (error) {
      await machine.kill()
      if (attempt === attempts) throw error
    }
  }
}
