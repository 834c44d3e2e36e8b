/** The current names of renamed commands and options, by old name. The old names still work. */
const oldNames: Readonly<Record<string, string>> = {
  confirm: 'replay-live',
  frontier: 'configurations',
  '--own': '--per-fault',
}

/** The arguments with current names. `report` gets a line for each old name. */
export function withNewNames(args: readonly string[], report: (line: string) => void): string[] {
  return args.map((argument, at) => {
    const [name] = argument.split('=', 1)
    if (name === undefined || !(at === 0 || name.startsWith('--')) || !Object.hasOwn(oldNames, name)) return argument
    const present = oldNames[name]!
    report(`${name} is now called ${present}`)
    return `${present}${argument.slice(name.length)}`
  })
}
