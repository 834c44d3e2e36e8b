/**
 * Text that a process printed or threw, with the folders of this machine taken out of file names (a stack trace, an
 * ENOENT): the same run must leave the same history wherever it is played.
 */
export function withoutFolders(text: string): string {
  return text.replace(/(?:file:\/\/)?(?:\/[\w.@+-]+)+\/(?=[\w.@+-]+\.\w+)/g, '')
}
