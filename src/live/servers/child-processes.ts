/** Processes that a process of ours has started by itself. */
import fs from 'node:fs'

/** Their ids, on a system that has them in /proc. */
export function childrenOf(parent: number): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

/** One that is gone gets none. */
export function signal(pid: number, what: NodeJS.Signals): void {
  try {
    process.kill(pid, what)
  } catch {}
}

/** False for one that has ended, also where nobody has asked yet how. */
export const runs = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)[0])

/** Stopped, or gone: it starts no process more. The signal that stops it is not obeyed at once. */
export async function stands(pid: number): Promise<void> {
  while (runs(pid) && statOf(pid)[0] !== 'T') await new Promise((resolve) => setTimeout(resolve, 1))
}

const parentOf = (pid: number): number => Number(statOf(pid)[1])

/** Behind the name, which stands in parentheses and may have any: state, then the parent. */
function statOf(pid: number): string[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
