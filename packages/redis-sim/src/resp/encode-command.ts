/** A command as the bytes that a client, a primary or an append-only file writes. */
export function encodeCommand(words: readonly string[]): string {
  let text = `*${words.length}\r\n`
  for (const word of words) text += `$${word.length}\r\n${word}\r\n`
  return text
}
