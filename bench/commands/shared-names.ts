/**
 * Finds the names that two checkouts have in common, because a later checkout plays more with the
 * same command and so takes longer.
 */
import { ChildError } from '../children.ts'
import { runCommand } from './run-command.ts'

/** The sections of `list`, and for each the option that restricts a command to some names. */
const options = { scenarios: '--scenario', implementations: '--impl', canaries: '--only' } as const

export type Listed = keyof typeof options

type Names = Readonly<Record<Listed, readonly string[]>>

/** The names in `sim list --json` of the checkout `folder`. */
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

/**
 * The arguments that restrict a command to the names that both checkouts have.
 * @throws ChildError if they have no name in common, because a command without names plays all
 */
export function onlyShared(what: readonly Listed[], here: Names, other: Names): string[] {
  return what.flatMap((one) => {
    const both = here[one].filter((name) => other[one].includes(name))
    if (both.length === 0) throw new ChildError(`the two checkouts have no ${one} in common`, 'Shared')
    return both.flatMap((name) => [options[one], name])
  })
}
