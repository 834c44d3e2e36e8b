/** Makes a server end with the process that started it, even if that process is killed. */
import { spawnSync } from 'node:child_process'

let known: boolean | undefined

/** True if `setpriv` of util-linux is installed. It exists only on Linux. */
const canNotify = (): boolean => (known ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0)

/**
 * The program and arguments to spawn for a command, with `setpriv` in front; unchanged if the
 * system cannot signal a parent's death.
 */
export function endingWithParent(
  program: string,
  args: readonly string[],
  by: 'KILL' | 'QUIT' = 'KILL',
): [program: string, args: string[]] {
  return canNotify() ? ['setpriv', ['--pdeathsig', by, '--', program, ...args]] : [program, [...args]]
}
