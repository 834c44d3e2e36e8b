/** The proxy before the servers: a Toxiproxy that runs already, one from the path, or the one that is built in. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from 'test-servers'
import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { LinkProxy } from './link-proxy.ts'
import { LoopbackProxy } from './loopback-proxy.ts'
import { clientPackage, Toxiproxy, toxiproxyVersion } from './toxiproxy.ts'

/** `builtin`, `toxiproxy` (from the path), or the URL of one that runs; null for the best one there is. */
export async function openProxy(wanted: string | null, directory: RunDirectory): Promise<LinkProxy> {
  if (wanted !== null && /^https?:/.test(wanted)) return runningToxiproxy(wanted)
  const binary = wanted === 'builtin' ? null : onPath('toxiproxy-server')
  if (binary !== null && (wanted !== null || (await hasClient()))) return startToxiproxy(binary, directory)
  if (wanted === 'toxiproxy')
    throw new LiveProblem('toxiproxy-server', 'it is not on the path; install it, or leave --proxy out')
  return new LoopbackProxy()
}

const hasClient = (): Promise<boolean> =>
  clientPackage().then(
    () => true,
    () => false,
  )

async function runningToxiproxy(wanted: string): Promise<LinkProxy> {
  await clientPackage()
  const url = wanted.replace(/\/$/, '')
  const version = await toxiproxyVersion(url)
  if (version === null)
    throw new LiveProblem(`--proxy ${wanted}`, 'no Toxiproxy answers there; start it, or leave --proxy out')
  return new Toxiproxy(url, { about: `Toxiproxy ${version}` })
}

async function startToxiproxy(binary: string, directory: RunDirectory): Promise<LinkProxy> {
  await clientPackage()
  const port = await freePort()
  const child = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], {
    stdio: 'ignore',
    env: directory.env,
    detached: true,
  })
  child.on('error', () => {})
  if (child.pid !== undefined) directory.started(child.pid)
  const close = async () => void child.kill('SIGKILL')
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 50; attempt++) {
    const version = await toxiproxyVersion(url)
    if (version !== null) return new Toxiproxy(url, { about: `Toxiproxy ${version}`, close })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await close()
  throw new LiveProblem(binary, 'it does not answer within 5 s; choose --proxy builtin')
}

function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file)) ?? null
}
