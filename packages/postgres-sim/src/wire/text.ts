import { SqlError } from '../index.ts'

/** Texts on the wire are UTF-8 bytes, each as one character of a string. */
const ascii = /^[\x00-\x7f]*$/

export function bytesOf(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

export function textOf(bytes: string): string {
  return ascii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

const plainAscii = /^[\x01-\x7f]*$/

/** Decodes storable text: UTF-8 without a zero byte. @throws SqlError 22021 */
export function wholeText(bytes: string): string {
  if (plainAscii.test(bytes)) return bytes
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at)
    if (!isCharacter(bytes.slice(at, at + length))) throw invalid(bytes.slice(at, at + length))
    at += length
  }
  return textOf(bytes)
}

/** The length of a character in bytes, according to its first byte. */
function lengthAt(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at)
  return (first & 0xe0) === 0xc0 ? 2 : (first & 0xf0) === 0xe0 ? 3 : (first & 0xf8) === 0xf0 ? 4 : 1
}

/**
 * Matches one character of several bytes. Overlong encodings, surrogates and code points beyond
 * U+10FFFF do not match.
 */
const multibyte =
  /^(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})$/

function isCharacter(bytes: string): boolean {
  return bytes.length === 1 ? bytes > '\0' && bytes < '\x80' : multibyte.test(bytes)
}

function invalid(bytes: string): SqlError {
  const shown = [...bytes].map((byte) => `0x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return new SqlError('22021', `invalid byte sequence for encoding "UTF8": ${shown.join(' ')}`)
}
