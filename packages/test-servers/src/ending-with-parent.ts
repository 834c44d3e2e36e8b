/** Servers end with the process that starts them, even if it is killed. */
import { spawnSync } from 'node:child_process'

let known: boolean | undefined

/** True if `setpriv` of util-linux is installed. Other systems than Linux lack it. */
const canNotify = (): boolean => (known ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0)

/** The words to spawn for a command; unchanged if the system cannot signal a parent's death. */
export function endingWithParent(
  program: string,
  args: readonly string[],
  by: 'KILL' | 'QUIT' = 'KILL',
): [program: string, args: string[]] {
  return canNotify() ? ['setpriv', ['--pdeathsig', by, '--', program, ...args]] : [program, [...args]]
}
