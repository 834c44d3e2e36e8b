/** What two checkouts both have: a later one plays more by the same command, and so takes longer. */
import { runCommand } from './run-command.ts'

/** What `list` names, and by which option a command is told to play no others. */
export const options = { scenarios: '--scenario', implementations: '--impl', canaries: '--only' } as const

export type Listed = keyof typeof options

export type Names = Readonly<Record<Listed, readonly string[]>>

/** What `sim list --json` of that checkout names. */
export async function namesOf(folder: string): Promise<Names> {
  const lines: string[] = []
  await runCommand({ folder, args: ['list', '--json'], line: (text) => lines.push(text) })
  const listed: Record<Listed, readonly { readonly name: string }[]> = JSON.parse(lines.join('\n'))
  const namesIn = (what: Listed) => listed[what].map(({ name }) => name)
  return {
    scenarios: namesIn('scenarios'),
    implementations: namesIn('implementations'),
    canaries: namesIn('canaries'),
  }
}

/** The arguments by which a command plays only what both have. */
export function onlyShared(what: readonly Listed[], here: Names, other: Names): string[] {
  return what.flatMap((one) =>
    here[one].filter((name) => other[one].includes(name)).flatMap((name) => [options[one], name]),
  )
}
