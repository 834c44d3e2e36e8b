/** The proxy before the servers: a Toxiproxy that runs already, one from the path, or the one that is built in. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { Toxiproxy } from 'toxiproxy-node-client'
import { freePort } from '../free-port.ts'
import { LiveProblem } from './problem.ts'
import { startProxyServer } from './proxy/server.ts'
import type { Proxying } from './servers/local.ts'
import { ToxicChance } from './toxic-chance.ts'
import type { Workplace } from './workplace.ts'

/** On any free port of loopback. */
const anywhere = (): string => '127.0.0.1:0'

/**
 * `builtin`, `toxiproxy` (from the path), or the URL of one that runs; null for the best one there is. A Toxiproxy that
 * is started here draws from the seed; the built-in proxy from that of each run.
 */
export async function openProxying(wanted: string | null, workplace: Workplace, seed: number): Promise<Proxying> {
  if (wanted !== null && /^https?:/.test(wanted)) return runningToxiproxy(wanted)
  const binary = wanted === 'builtin' ? null : onPath('toxiproxy-server')
  if (binary !== null) return startToxiproxy(binary, workplace, seed)
  if (wanted === 'toxiproxy')
    throw new LiveProblem('toxiproxy-server', 'it is not on the path; install it, or leave --proxy out')
  const chance = new ToxicChance()
  const server = await startProxyServer({ port: 0, random: chance.random })
  return {
    about: 'built-in proxy',
    drawFrom: (seed) => chance.drawFrom(seed),
    toxiproxy: new Toxiproxy(server.url),
    listen: anywhere,
    close: () => server.close(),
  }
}

async function runningToxiproxy(url: string): Promise<Proxying> {
  const toxiproxy = new Toxiproxy(url.replace(/\/$/, ''))
  const version = await versionOf(toxiproxy)
  if (version === null)
    throw new LiveProblem(`--proxy ${url}`, 'no Toxiproxy answers there; start it, or leave --proxy out')
  return { about: `Toxiproxy ${version}`, toxiproxy, listen: anywhere, close: async () => {} }
}

async function startToxiproxy(binary: string, workplace: Workplace, seed: number): Promise<Proxying> {
  const port = await freePort()
  const child = spawn(binary, ['-host', '127.0.0.1', '-port', String(port), '-seed', String(seed)], {
    ...{ stdio: 'ignore', env: workplace.env, detached: true },
  })
  child.on('error', () => {})
  if (child.pid !== undefined) workplace.started(child.pid)
  const toxiproxy = new Toxiproxy(`http://127.0.0.1:${port}`)
  for (let attempt = 0; attempt < 50; attempt++) {
    const version = await versionOf(toxiproxy)
    if (version !== null)
      return {
        about: `Toxiproxy ${version}`,
        toxiproxy,
        listen: anywhere,
        close: async () => void child.kill('SIGKILL'),
      }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill('SIGKILL')
  throw new LiveProblem(binary, 'it does not answer within 5 s; choose --proxy builtin')
}

/** `2.9.0`; null where nobody answers. It says so as text or as JSON, by its age. */
async function versionOf(toxiproxy: Toxiproxy): Promise<string | null> {
  try {
    const text = await toxiproxy.getVersion()
    return /\d+(\.\d+)+[\w.-]*/.exec(typeof text === 'string' ? text : JSON.stringify(text))?.[0] ?? String(text)
  } catch {
    return null
  }
}

function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file)) ?? null
}
