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

/** Whether there was such a process. 0 asks for nothing else. */
export function signal(pid: number, what: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, what)
    return true
  } catch {
    return false
  }
}

/** Behind the name, which stands in parentheses and may have any: state, then the parent. */
function parentOf(pid: number): number | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}
