/**
 * `--with redis://…`: a server that the user names, which may be in use. A run uses only keys with
 * its prefix: ioredis adds it to keys (`keyPrefix` in the options for adapters), the consumer's
 * process sends no command that names another key (it ends the run with an error instead), and the
 * keys are deleted at the end. Faults that would harm other users of the server are refused unless
 * an option allows them.
 */
import net from 'node:net'
import { Redis, type RedisOptions } from 'ioredis'
import type { LiveEnvironment } from '../environment/environment.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { listens } from './listens.ts'
import type { Power, ServerMachine } from './live-server.ts'
import { identityOfInfo } from './server-identity.ts'
import { readServerUrl, withoutPassword } from './server-url.ts'

/** The settings that faults change and that are restored. */
const settings = ['maxmemory', 'maxmemory-policy', 'maxclients', 'lua-time-limit', 'notify-keyspace-events']

export interface NamedWish {
  readonly url: string
  readonly allowDestructive: boolean
  /** The name of the server in the first line of output. Absent: the URL without its password. */
  readonly name?: string
  /** True if the server is flushed before and after each run, which may then use any key. */
  readonly emptied?: boolean
}

/**
 * Opens the server.
 * @throws LiveProblem if it cannot be reached or refuses the login
 */
export async function openNamed(wish: NamedWish, proxy: LinkProxy): Promise<LiveEnvironment> {
  const to = addressOf(wish.url)
  const server = await shakeHands(to, wish.url)
  const keyPrefix = wish.emptied ? null : `onceproof:${process.pid}-${Date.now().toString(36)}:`
  const where = keyPrefix === null ? 'emptied for each run' : `under the key prefix ${keyPrefix}`
  const before = wish.allowDestructive ? await readSettings(to) : null
  return {
    about: `${wish.name ?? withoutPassword(wish.url)}: ${server}, ${where}, ${proxy.about}`,
    redisProxy: proxy,
    sinkProxy: proxy,
    endsInTurn: false,
    keyPrefix,
    refuses: (power) => refusal(power, wish.allowDestructive),
    shapes: ['single'],
    startHeld: null,
    async startServers() {
      const machine = new NamedMachine(to)
      if (keyPrefix === null) {
        const empty = () => withClient(to, emptied).catch(unless(wish, 'it could not be emptied; start it again'))
        await empty()
        return { machine, close: empty }
      }
      const remedy = `keys under ${keyPrefix} may be left on it; delete them when it is back`
      return { machine, close: () => cleared(to, keyPrefix).catch(unless(wish, remedy)) }
    },
    async close() {
      const remedy = `its settings (${settings.join(', ')}) could not be restored; check them`
      try {
        await proxy.close()
      } finally {
        if (before !== null) await withClient(to, (client) => putBack(client, before)).catch(unless(wish, remedy))
      }
    },
  }
}

/** Reports that a server could not be cleaned up because it is gone. */
function unless({ url, name }: NamedWish, remedy: string) {
  return (error: Error): never => {
    throw new LiveProblem(name ?? withoutPassword(url), `${remedy} (${error.message})`)
  }
}

type NamedServer = Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'> & {
  readonly host: string
  readonly port: number
}

function addressOf(url: string): NamedServer {
  const { protocol, hostname, port, username, password, pathname } = readServerUrl(
    url,
    'choose local, docker, compose, or a URL such as redis://:password@host:6379/0',
  )
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new LiveProblem(
      `--with ${withoutPassword(url)}`,
      'its URL must begin with redis:// or, for TLS, with rediss://',
    )
  return {
    host: hostname,
    port: port === '' ? 6379 : Number(port),
    db: Number(pathname.slice(1) || 0),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    // TLS must check the name of the server, although clients connect to the proxy.
    ...(protocol === 'rediss:' ? { tls: net.isIP(hostname) === 0 ? { servername: hostname } : {} } : {}),
  }
}

/** Returns the identity that the server reports. */
async function shakeHands(to: NamedServer, url: string): Promise<string> {
  try {
    return identityOfInfo(await withClient(to, (client) => client.info('server')))
  } catch (error) {
    throw new LiveProblem(withoutPassword(url), whyNot(String((error as Error).message), to.tls !== undefined))
  }
}

function whyNot(text: string, tls: boolean): string {
  if (/NOAUTH|WRONGPASS|invalid.*password|ERR AUTH/i.test(text))
    return 'no password or a wrong one; put it into the URL (redis://:password@host:port)'
  if (/certificate|self.signed|altname/i.test(text))
    return `its certificate is not trusted (${text}); see NODE_EXTRA_CA_CERTS`
  if (/ECONNRESET|Connection is closed|Protocol error|socket hang up/i.test(text))
    return 'it closes the connection; if it uses TLS, begin the URL with rediss://'
  if (tls && /wrong version number|ssl|tls|TIMEDOUT/i.test(text))
    return 'it does not answer with TLS; if it uses none, begin the URL with redis://'
  return `unreachable (${text}); check that it runs and that the address is right`
}

async function withClient<T>(to: NamedServer, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ ...to, lazyConnect: true, retryStrategy: () => null, connectTimeout: 3000 })
  let failure: Error | null = null
  client.on('error', (error) => {
    failure ??= error
  })
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw failure ?? error
  } finally {
    client.disconnect()
  }
}

function refusal(power: Power, allowed: boolean): string | null {
  if (power === 'clock') return 'runs do not shift the clock of a server that you give'
  if (power === 'restart') return 'runs do not restart a server that you give'
  if (power === 'freeze') return 'runs do not stop a server that you give'
  if (power === 'cut-off') return 'a single server has no other to be cut off from'
  return allowed ? null : 'it would harm other users of the server; use --allow-destructive'
}

async function readSettings(to: NamedServer): Promise<ReadonlyMap<string, string>> {
  return withClient(to, async (client) => {
    const pairs = await Promise.all(settings.map((name) => client.call('CONFIG', 'GET', name) as Promise<string[]>))
    return new Map(pairs.map(([name = '', value = '']) => [name, value]))
  })
}

async function putBack(client: Redis, before: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, value] of before) if (name !== '') await client.call('CONFIG', 'SET', name, value)
}

/** Removes all data and scripts, because a newly started server has neither. */
async function emptied(client: Redis): Promise<void> {
  await client.flushall()
  await client.script('FLUSH')
}

/** Deletes the keys with the prefix. */
function cleared(to: NamedServer, prefix: string): Promise<void> {
  return withClient(to, async (client) => {
    for (let cursor = '0'; ; ) {
      const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1000)
      if (keys.length > 0) await client.unlink(keys)
      if (next === '0') return
      cursor = next
    }
  })
}

class NamedMachine implements ServerMachine {
  readonly host: string
  readonly port: number
  readonly access: ServerMachine['access']

  readonly isAlive: () => Promise<boolean>

  constructor(to: NamedServer) {
    const { host, port, ...access } = to
    this.isAlive = () => listens(to)
    this.host = host
    this.port = port
    this.access = access
  }

  kill(): Promise<void> {
    throw new Error('a server that the user gives is never ended')
  }

  start(): Promise<void> {
    throw new Error('a server that the user gives is never started')
  }

  freeze(): Promise<void> {
    throw new Error('a server that the user gives is never stopped')
  }
}
