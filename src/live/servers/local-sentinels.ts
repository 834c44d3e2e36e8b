/**
 * The servers and Sentinels of a failover as processes on this machine. Each server is reached by
 * the other machines through its proxy.
 */
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from 'test-servers'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import { RedisProcess } from './redis-process.ts'
import type { SentinelSite } from './sentinel-deployment.ts'

export function localSentinels(directory: RunDirectory, binary: string, proxy: LinkProxy): SentinelSite {
  const processes: RedisProcess[] = []
  const links: ProxiedLink[] = []
  // Each server has a separate folder, because a replica writes its sync to disk and the next
  // server in the folder would load it.
  const newFolder = () => fs.mkdtempSync(path.join(directory.folder, 'redis-'))
  const start = async (port: number, folder: string, args: readonly string[]): Promise<RedisProcess> => {
    const machine = new RedisProcess({ binary, port, folder, env: directory.env, started: directory.started, args })
    processes.push(machine)
    await machine.start()
    return machine
  }
  return {
    bind: '127.0.0.1',
    port: freePort,
    async linkTo(port) {
      const link = await proxy.openLink(`onceproof-${process.pid}-redis-${port}`, { host: '127.0.0.1', port })
      links.push(link)
      return link
    },
    startServer: (port, options) =>
      start(port, newFolder(), [
        ...['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
        ...options,
      ]),
    startSentinel(port, lines) {
      const folder = newFolder()
      const file = path.join(folder, 'sentinel.conf')
      fs.writeFileSync(file, `${lines.join('\n')}\n`)
      // The Sentinel is started by `redis-server`; `redis-sentinel` is the same program under
      // another name.
      return start(port, folder, [file, '--sentinel'])
    },
    async close() {
      await Promise.all(processes.map((one) => one.kill()))
      await Promise.allSettled(links.map((link) => link.close()))
    },
  }
}
