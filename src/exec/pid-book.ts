/**
 * The pids of processes that programs have started, in memory shared by all threads. The processes
 * that remain at the end are killed.
 */

/** The maximum number of pids, more than any campaign has at a time. */
const places = 4_096

export type PidPages = Int32Array<SharedArrayBuffer>

export function createPidPages(): PidPages {
  return new Int32Array(new SharedArrayBuffer(4 * places))
}

export class PidBook {
  constructor(private readonly pages: PidPages) {}

  add(pid: number): void {
    for (let at = 0; at < places; at++) if (Atomics.compareExchange(this.pages, at, 0, pid) === 0) return
  }

  remove(pid: number): void {
    for (let at = 0; at < places; at++) if (Atomics.compareExchange(this.pages, at, pid, 0) === pid) return
  }

  /** Kills all remaining processes. */
  killAll(): void {
    for (let at = 0; at < places; at++) {
      const pid = Atomics.exchange(this.pages, at, 0)
      if (pid === 0) continue
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    }
  }
}
