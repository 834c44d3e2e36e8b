/** Finds, signals and checks child processes. */
import fs from 'node:fs'

/** The process ids of the children of a process, on a system with /proc. */
export function childrenOf(parent: number): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

/** Sends a signal to a process. Does nothing if the process is gone. */
export function signal(pid: number, what: NodeJS.Signals): void {
  try {
    process.kill(pid, what)
  } catch {}
}

/** True if the process exists and is not a zombie. */
export const runs = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)[0])

/**
 * Resolves once the process is stopped or gone, so that it starts no more processes. A stop signal
 * does not take effect immediately.
 */
export async function stands(pid: number): Promise<void> {
  while (runs(pid) && statOf(pid)[0] !== 'T') await new Promise((resolve) => setTimeout(resolve, 1))
}

const parentOf = (pid: number): number => Number(statOf(pid)[1])

/**
 * The fields after the process name, which is in parentheses and may contain any character: state,
 * then parent.
 */
function statOf(pid: number): string[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
