/**
 * Removes from printed or thrown text the folders of this machine in file names (stack traces,
 * ENOENT) and the stack frames of Node. One run must leave the same history on every machine and
 * with every version of Node.
 */
export function withoutMachine(text: string): string {
  return text
    .replace(/\n\s+at [^\n]*\bnode:[^\n]*/g, '')
    .replace(/(?:file:\/\/)?(?:\/[\w.@+-]+)+\/(?=[\w.@+-]+\.\w+)/g, '')
}
