/**
 * The files of a live command on the machine while it runs: a temporary folder with a known prefix,
 * and in it the ids of the command's processes. Everything is removed at the end, also after
 * Ctrl-C. The next command finds and reports leftovers of a killed one.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const prefix = 'onceproof-live-'
const pidsFile = 'pids'
const containersFile = 'containers'

/**
 * The label of each container of the command, with the run's folder as its value. It also
 * identifies containers that no file lists yet.
 */
export const containerLabel = 'onceproof.live'

export interface StaleRun {
  readonly folder: string
  /** The processes of the run that are still alive. */
  readonly pids: readonly number[]
  /** True if the run may have started containers. Their label contains the folder. */
  readonly containers: boolean
}

export class RunDirectory {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), `${prefix}${process.pid}-`))
  /** The environment of the run's processes, which identifies them. */
  readonly env: NodeJS.ProcessEnv = { ...process.env, ONCEPROOF_LIVE: this.folder }
  /** For each process id, the signal that ends the process. */
  readonly #pids = new Map<number, NodeJS.Signals>()
  readonly #beside: string[] = []
  readonly #lastActs = new Set<() => void>()
  readonly #onExit = (): void => this.#endAtOnce()

  constructor() {
    process.once('exit', this.#onExit)
  }

  /**
   * Records a process. `endsBy`: the signal that ends the process with its children and shared
   * resources.
   */
  readonly started = (pid: number, endsBy: NodeJS.Signals = 'SIGKILL'): void => {
    this.#pids.set(pid, endsBy)
    for (const folder of [this.folder, ...this.#beside]) fs.appendFileSync(path.join(folder, pidsFile), `${pid}\n`)
  }

  /**
   * Makes a second folder of the run in `place`, for files that other users of the machine must
   * reach. The next command finds leftovers in it only if the place is the folder for temporary
   * files.
   */
  beside(place: string): string {
    const folder = fs.mkdtempSync(path.join(place, `${prefix}${process.pid}-`))
    this.#beside.push(folder)
    return folder
  }

  /**
   * Must be called before the first container starts, because a killed run leaves no other trace of
   * its containers.
   */
  startsContainers(): void {
    fs.writeFileSync(path.join(this.folder, containersFile), '')
  }

  /**
   * Registers `act`, which must be synchronous, to be called when this process exits or the run is
   * closed. Returns a function that cancels the call.
   */
  atExit(act: () => void): () => void {
    this.#lastActs.add(act)
    return () => void this.#lastActs.delete(act)
  }

  /** Must be called after all processes of the run have ended. */
  close(): void {
    process.off('exit', this.#onExit)
    this.#endAtOnce()
  }

  /** Does not wait for anything, because this process may be exiting. */
  #endAtOnce(): void {
    for (const act of this.#lastActs) act()
    const folders = [this.folder, ...this.#beside]
    for (const [pid, by] of this.#pids) if (folders.some((folder) => isOf(pid, folder))) end(pid, by)
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The folders of runs whose harness has ended, with their remaining processes. Never includes
 * processes of other programs.
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
 * True if the process belongs to the run of that folder. Process ids are reused, so the folder must
 * occur in the process's environment, arguments or working directory. (redis-server overwrites its
 * environment with its title.)
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

/** Ends a process, even if it is stopped. */
function end(pid: number, by: NodeJS.Signals): void {
  try {
    process.kill(pid, by)
    process.kill(pid, 'SIGCONT')
  } catch {}
}
