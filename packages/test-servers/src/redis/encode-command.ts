/** Encodes a command as clients do. Strings are byte strings (latin1). */
export function encodeCommand(args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`
}
