/**
 * Text that a process printed or threw, with the folders of this machine taken out of file names (a
 * stack trace, an ENOENT), and the frames of its Node out of stack traces: the same run must leave
 * the same history wherever it is played, and every version of Node has its own lines.
 */
export function withoutMachine(text: string): string {
  return text
    .replace(/\n\s+at [^\n]*\bnode:[^\n]*/g, '')
    .replace(/(?:file:\/\/)?(?:\/[\w.@+-]+)+\/(?=[\w.@+-]+\.\w+)/g, '')
}
