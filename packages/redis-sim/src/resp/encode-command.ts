/** Encodes a command as an array of bulk strings. */
export function encodeCommand(words: readonly string[]): string {
  let text = `*${words.length}\r\n`
  for (const word of words) text += `$${word.length}\r\n${word}\r\n`
  return text
}
