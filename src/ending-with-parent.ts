/** Servers of tests and comparisons end with the process that starts them, also where that is killed and has no time to end them. */
import { spawnSync } from 'node:child_process'

let known: boolean | undefined

/** `setpriv` of util-linux, which every Linux of ours has; other systems have none. */
const canTell = (): boolean => (known ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0)

/** The words of a command to be spawned; as they are where the system has no way to tell of a parent's death. */
export function endingWithParent(
  program: string,
  args: readonly string[],
  by: 'KILL' | 'QUIT' = 'KILL',
): [program: string, args: string[]] {
  return canTell() ? ['setpriv', ['--pdeathsig', by, '--', program, ...args]] : [program, [...args]]
}
