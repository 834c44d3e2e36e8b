/** Text as the wire has it: UTF-8, one character of a string for each byte. */
const ascii = /^[\x00-\x7f]*$/

export function bytesOf(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

export function textOf(bytes: string): string {
  return ascii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}
