/**
 * Opens the proxy in front of the servers: a running Toxiproxy, one from the path, or the built-in
 * one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { freePort } from 'test-servers'
import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { LinkProxy } from './link-proxy.ts'
import { LoopbackProxy } from './loopback-proxy.ts'
import { clientPackage, toxiproxyAt, toxiproxyVersion } from './toxiproxy.ts'

/**
 * Opens the proxy. `wanted`: `builtin`, `toxiproxy` (from the path), or the URL of a running one;
 * null for the best available.
 * @throws LiveProblem
 */
export async function openProxy(wanted: string | null, directory: RunDirectory): Promise<LinkProxy> {
  if (wanted !== null && /^https?:/.test(wanted)) return toxiproxyAt(wanted.replace(/\/$/, ''), `--proxy ${wanted}`)
  if (wanted === 'builtin') return new LoopbackProxy()
  const binary = onPath(serverName)
  if (binary === null && wanted === null) return new LoopbackProxy()
  if (binary === null) throw new LiveProblem(serverName, 'not on the path; install it, or remove --proxy')
  if (wanted === null && !(await hasClient()))
    return new LoopbackProxy(`built-in proxy, because ${serverName} lacks the package toxiproxy-node-client`)
  return startToxiproxy(binary, directory)
}

const serverName = 'toxiproxy-server'

const hasClient = (): Promise<boolean> =>
  clientPackage().then(
    () => true,
    () => false,
  )

/** The number of attempts to start a server, because another program may take a free port first. */
const attempts = 3

async function startToxiproxy(binary: string, directory: RunDirectory): Promise<LinkProxy> {
  await clientPackage()
  const log = path.join(directory.folder, `${serverName}.log`)
  let why: string | null = null
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const port = await freePort()
    const server = await launch(binary, port, log, directory)
    const close = async () => void server.child.kill('SIGKILL')
    const url = `http://127.0.0.1:${port}`
    const until = performance.now() + patienceMs
    do {
      const answers = (await toxiproxyVersion(url)) !== null
      // The server itself may have failed while another program answers at the port.
      why = whyNot(server.ended, log)
      if (answers && why === null) return await opened(url, binary, close)
      await new Promise((resolve) => setTimeout(resolve, 50))
    } while (why === null && performance.now() < until)
    await close()
    if (why === null) throw new LiveProblem(binary, `it does not answer within ${patienceMs} ms; ${instead}`)
  }
  throw new LiveProblem(binary, `it cannot serve (${why}); ${instead}`)
}

const patienceMs = 5_000
const instead = 'install another one, or choose --proxy builtin'

/** Ends a server that cannot be used. */
async function opened(url: string, binary: string, close: () => Promise<void>): Promise<LinkProxy> {
  try {
    return await toxiproxyAt(url, binary, close)
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Starts the program.
 * @throws LiveProblem if the system does not execute it
 */
async function launch(binary: string, port: number, log: string, directory: RunDirectory) {
  const output = fs.openSync(log, 'w')
  try {
    const child = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], {
      stdio: ['ignore', output, output],
      env: directory.env,
      detached: true,
    })
    const server = { child, ended: null as string | null }
    child.once('exit', (code, signal) => {
      server.ended = signal ?? `exit ${code}`
    })
    await once(child, 'spawn')
    directory.started(child.pid!)
    return server
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new LiveProblem(binary, `it cannot be executed (${code ?? message}); chmod +x it, ${instead}`)
  } finally {
    fs.closeSync(output)
  }
}

/**
 * Why the server will never answer; null if it may. Toxiproxy 2.12.0 keeps running even if its port
 * is taken.
 */
function whyNot(ended: string | null, log: string): string | null {
  const said = fs.readFileSync(log, 'utf8').trimEnd()
  const taken = /listen tcp [^"\n]*address already in use/.exec(said)?.[0]
  return taken ?? (ended === null ? null : said.split('\n').at(-1)!.slice(0, 200) || ended)
}

/** The first executable file of that name on the path, as in a shell; otherwise the first file. */
function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  const files = folders.map((folder) => path.join(folder, name)).filter(isFile)
  return files.find(isExecutable) ?? files[0] ?? null
}

const isFile = (name: string) => fs.statSync(name, { throwIfNoEntry: false })?.isFile() === true

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return true
  } catch {
    return false
  }
}
