/**
 * `--with compose`: the first Redis of docker-compose.yml, behind links of its Toxiproxy, one for
 * each consumer. The proxies of that file are not changed. The Redis is a test server, so it may be
 * flushed and reconfigured.
 */
import type { LiveEnvironment } from '../environment/environment.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { toxiproxyAt } from '../proxy/toxiproxy.ts'
import { openNamed } from './named.ts'

/** The addresses are those of docker-compose.yml. */
const api = 'http://127.0.0.1:8474'
const firstServer = { proxy: 'redis-1', url: 'redis://127.0.0.1:22001' }

/**
 * Opens the Toxiproxy.
 * @throws LiveProblem if it is not up
 */
export async function openComposeProxy(): Promise<LinkProxy> {
  await isUp(firstServer.proxy)
  return toxiproxyAt(api, '--with compose')
}

/**
 * Opens the environment. `emptied`: the server is flushed before and after each run.
 * @throws LiveProblem if it is not up
 */
export async function openCompose(proxy: LinkProxy, emptied: boolean): Promise<LiveEnvironment> {
  await isUp(firstServer.proxy)
  return openNamed({ url: firstServer.url, allowDestructive: true, name: 'compose', emptied }, proxy).catch((error) => {
    throw error instanceof LiveProblem && error.culprit === firstServer.url ? notUp() : error
  })
}

/** The maximum wait for the Toxiproxy. */
const patienceMs = 3_000

/**
 * Checks that the Toxiproxy of docker-compose.yml has that proxy.
 * @throws LiveProblem
 */
export async function isUp(proxy: string): Promise<void> {
  const answer = await fetch(`${api}/proxies/${proxy}`, { signal: AbortSignal.timeout(patienceMs) }).catch(() => null)
  if (!answer?.ok) throw notUp()
}

export const notUp = () =>
  new LiveProblem(
    '--with compose',
    'the servers of docker-compose.yml do not answer; start them with `docker compose up --wait`',
  )
