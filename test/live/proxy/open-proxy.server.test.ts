/** The choice of the proxy, and the advice in errors. Fake programs stand in for Toxiproxy. */
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LiveProblem } from '../../../src/live/environment/problem.ts'
import { RunDirectory } from '../../../src/live/environment/run-directory.ts'
import { openProxy } from '../../../src/live/proxy/open-proxy.ts'
import { temporaryFolder } from '../../cli/run-cli.ts'
import { needs } from '../../needs/needs.ts'
import { startStandIn } from '../toxiproxy-stand-in.ts'

let directory: RunDirectory
let folder: string
const open: (() => unknown)[] = []

beforeEach(() => {
  directory = new RunDirectory()
  folder = temporaryFolder()
  vi.stubEnv('PATH', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of open.splice(0)) await close()
  directory.close()
})

/** Creates a `toxiproxy-server` on the path. */
function program(content: string, { mode = 0o755, at = folder } = {}): string {
  const file = path.join(at, 'toxiproxy-server')
  fs.writeFileSync(file, content, { mode })
  return file
}

/** A program that answers as that version, with the API as its only listener. */
const serves = (version: string) => `#!${process.execPath}
const port = Number(process.argv[process.argv.indexOf('-port') + 1])
require('node:http').createServer((request, response) => {
  const proxy = { name: 'x', listen: '127.0.0.1:' + port, upstream: '127.0.0.1:1', enabled: true, toxics: [] }
  if (request.method === 'DELETE') response.writeHead(204).end()
  else response.end(request.url === '/version' ? '${version}' : JSON.stringify(proxy))
}).listen(port, '127.0.0.1')`

const opened = async (wanted: string | null) => {
  const proxy = await openProxy(wanted, directory)
  open.push(() => proxy.close())
  return proxy.about
}
const refusal = (wanted: string | null) =>
  openProxy(wanted, directory).then(
    (proxy) => proxy.about,
    (error) => error instanceof LiveProblem && error.message,
  )

async function listening(server: net.Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('the proxy is the built-in one if the path has no Toxiproxy, which is reported', async () => {
  expect(await opened(null)).toBe('built-in proxy')
  expect(await refusal('toxiproxy')).toBe('toxiproxy-server: not on the path; install it, or remove --proxy')
})

it.each([['2.2.0'], ['{"version": "2.12.0"}'], ['{"version": 2.5.0}'], ['{"version": "git"}']])(
  'the proxy is a toxiproxy-server from the path by default, with its own version: %s',
  async (says) => {
    program(serves(says))
    expect(await opened(null)).toBe(`Toxiproxy ${/git|\d[\d.]*\d/.exec(says)![0]}`)
    expect(await opened('builtin')).toBe('built-in proxy')
  },
)

it('the proxy is never a folder of that name', async () => {
  fs.mkdirSync(path.join(folder, 'toxiproxy-server'))
  expect(await opened(null)).toBe('built-in proxy')
})

it('the proxy is the first executable one', async () => {
  const second = temporaryFolder()
  vi.stubEnv('PATH', [folder, second].join(path.delimiter))
  program(serves('2.3.0'), { mode: 0o644 })
  program(serves('2.4.0'), { at: second })
  expect(await opened(null)).toBe('Toxiproxy 2.4.0')
})

it('the proxy is tried on another port if the first one is taken', async () => {
  const before = path.join(folder, 'before')
  program(`#!/bin/sh
if [ -e ${before} ]; then exec ${program(serves('2.12.0'), { at: temporaryFolder() })} "$@"; fi
: >${before}
echo 'listen tcp: bind: address already in use' >&2
exit 1`)
  expect(await opened(null)).toBe('Toxiproxy 2.12.0')
})

it('the proxy is not another process that answers at its port after it has ended', async () => {
  const other = program(serves('2.12.0'), { at: temporaryFolder() })
  const pids = path.join(folder, 'pids')
  program(`#!/bin/sh\n${other} "$@" &\necho $! >>${pids}\nexit 1`)
  open.push(() => {
    for (const pid of fs.readFileSync(pids, 'utf8').trim().split('\n')) process.kill(Number(pid))
  })
  expect(await refusal(null)).toMatch(/it cannot serve \(exit 1\)/)
})

const remedy = 'install another one, or choose --proxy builtin'
it.each([
  ['is not executable', '', 0o644, `it cannot be executed (EACCES); chmod +x it, ${remedy}`],
  [
    'exits at once',
    '#!/bin/sh\necho starts\necho "no such option" >&2\nexit 1',
    0o755,
    `it cannot serve (no such option); ${remedy}`,
  ],
  [
    'runs without its port',
    '#!/bin/sh\necho \'{"error":"listen tcp 127.0.0.1:1: bind: address already in use"}\'\nexec /bin/sleep 60',
    0o755,
    `it cannot serve (listen tcp 127.0.0.1:1: bind: address already in use); ${remedy}`,
  ],
  ['exits without output', '#!/bin/sh\nexit 3', 0o755, `it cannot serve (exit 3); ${remedy}`],
  [
    'is too old',
    serves('2.1.4'),
    0o755,
    'Toxiproxy 2.1.4 resets no connections; install 2.2.0 or newer, or choose --proxy builtin',
  ],
] as const)('a toxiproxy-server that %s is rejected with advice', async (_, content, mode, says) => {
  const file = program(content, { mode })
  for (const wanted of [null, 'toxiproxy']) expect(await refusal(wanted)).toBe(`${file}: ${says}`)
})

it('the proxy may be a running Toxiproxy by its URL', async () => {
  const standIn = await startStandIn()
  open.push(() => standIn.close())
  expect(await opened(`${standIn.url}/`)).toBe('Toxiproxy 2.12.0')
  // The link of the probe was deleted.
  expect(await (await fetch(`${standIn.url}/proxies`)).json()).toEqual({})
})

it.each([
  ['nothing', null],
  ['another server', http.createServer((_, response) => response.end('<html>version 2.12.0</html>'))],
  ['a silent server', net.createServer()],
] as const)('%s at that URL is rejected, because no Toxiproxy answers', async (_, server) => {
  const url = server === null ? 'http://127.0.0.1:1' : await listening(server)
  expect(await refusal(url)).toBe(`--proxy ${url}: no Toxiproxy answers at ${url}; start it, or choose --proxy builtin`)
})

it('a Toxiproxy whose listeners are in another network is rejected', async () => {
  const elsewhere = { name: 'x', listen: '127.0.0.1:1', upstream: '127.0.0.1:2', enabled: true, toxics: [] }
  const answer = ({ method, url }: http.IncomingMessage) =>
    method === 'DELETE' ? undefined : url === '/version' ? '2.12.0' : JSON.stringify(elsewhere)
  const url = await listening(http.createServer((request, response) => response.end(answer(request))))
  expect(await refusal(url)).toBe(
    `--proxy ${url}: its listeners are not on the loopback of this machine; use the host network, or choose --proxy builtin`,
  )
})

needs({ toxiproxy: true }).it('openProxy reports the version of a real Toxiproxy', async () => {
  vi.unstubAllEnvs()
  expect(await opened(process.env.TOXIPROXY_URL ?? null)).toMatch(/^Toxiproxy (git|\d+\.\d+\.\d+)/)
})
