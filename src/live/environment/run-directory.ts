/**
 * What a live command leaves on the machine while it runs: a temporary folder that is named after
 * us, with the ids of the processes in it. Everything is gone at the end, also after Ctrl-C; what a
 * killed run left behind is found by the next one, and named.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const prefix = 'onceproof-live-'
const pidsFile = 'pids'
const containersFile = 'containers'

/**
 * Every container of ours has it, with the run's folder as its value: also one that no file here
 * names yet.
 */
export const containerLabel = 'onceproof.live'

export interface StaleRun {
  readonly folder: string
  /** Processes of it that are still there. */
  readonly pids: readonly number[]
  /** Whether it may have started containers: their label is the folder. */
  readonly containers: boolean
}

export class RunDirectory {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), `${prefix}${process.pid}-`))
  /** A process that inherits it is ours. */
  readonly env: NodeJS.ProcessEnv = { ...process.env, ONCEPROOF_LIVE: this.folder }
  /** With what ends them. */
  readonly #pids = new Map<number, NodeJS.Signals>()
  readonly #beside: string[] = []
  readonly #lastActs = new Set<() => void>()
  readonly #onExit = (): void => this.#endAtOnce()

  constructor() {
    process.once('exit', this.#onExit)
  }

  /** `endsBy`: what ends it with all that it has shared, where it must be ended at once. */
  readonly started = (pid: number, endsBy: NodeJS.Signals = 'SIGKILL'): void => {
    this.#pids.set(pid, endsBy)
    for (const folder of [this.folder, ...this.#beside]) fs.appendFileSync(path.join(folder, pidsFile), `${pid}\n`)
  }

  /**
   * A folder that goes with this one, in another place: for what other users of the machine must
   * reach. The next run finds what is left in it where that place is the one for temporary files.
   */
  beside(place: string): string {
    const folder = fs.mkdtempSync(path.join(place, `${prefix}${process.pid}-`))
    this.#beside.push(folder)
    return folder
  }

  /** Said before the first one is started: a killed run says nothing any more. */
  startsContainers(): void {
    fs.writeFileSync(path.join(this.folder, containersFile), '')
  }

  /**
   * Done when this process ends at once, without waiting for anything. Answers how to forget it
   * again.
   */
  atExit(act: () => void): () => void {
    this.#lastActs.add(act)
    return () => void this.#lastActs.delete(act)
  }

  /** Every process of ours has been ended before. */
  close(): void {
    process.off('exit', this.#onExit)
    this.#endAtOnce()
  }

  /** Without waiting: this process may be ending itself. */
  #endAtOnce(): void {
    for (const act of this.#lastActs) act()
    const folders = [this.folder, ...this.#beside]
    for (const [pid, by] of this.#pids) if (folders.some((folder) => isOf(pid, folder))) end(pid, by)
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Folders of runs whose own process is gone, and what is left of their processes. Never somebody
 * else's.
 */
export function staleRuns(): StaleRun[] {
  return fs
    .readdirSync(os.tmpdir())
    .filter((name) => name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length).split('-')[0])))
    .map((name) => path.join(os.tmpdir(), name))
    .map((folder) => ({
      folder,
      pids: linesOf(path.join(folder, pidsFile))
        .map(Number)
        .filter((pid) => isOf(pid, folder)),
      containers: fs.existsSync(path.join(folder, containersFile)),
    }))
}

function linesOf(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

/**
 * Ids are used again: only a process with our folder in its environment or its arguments, or that
 * works in it, is ours. (redis-server writes its title over its environment.)
 */
function isOf(pid: number, folder: string): boolean {
  try {
    if (fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return true
  } catch {}
  for (const file of ['environ', 'cmdline'])
    try {
      if (fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(folder)) return true
    } catch {}
  return false
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A stopped one as well. */
function end(pid: number, by: NodeJS.Signals): void {
  try {
    process.kill(pid, by)
    process.kill(pid, 'SIGCONT')
  } catch {}
}
