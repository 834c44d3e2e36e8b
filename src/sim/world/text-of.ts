/**
 * Decodes the bytes of a Redis name or value, for reports and for checkers that look for a
 * message's key.
 */
export function textOf(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}
