/**
 * What a person, and a checker that looks for a message's key, reads in the bytes of a Redis name
 * or value.
 */
export function textOf(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}
