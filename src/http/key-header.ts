/**
 * A key in the form of the header `Idempotency-Key`. Visible ASCII except `%` is unchanged; all
 * other characters are percent-encoded in UTF-8, because not every character is allowed in a field
 * value (RFC 9110, 5.5). Different keys have different texts.
 * @throws URIError if the key is not well-formed Unicode
 * @example
 * ```ts
 * import { keyToHeader } from 'onceproof/http'
 *
 * console.log(keyToHeader('order 1')) // order%201
 * ```
 */
export function keyToHeader(key: string): string {
  return key.replace(/[^\x21-\x7e]+|%/gu, encodeURIComponent)
}

/** The inverse of `keyToHeader`. A text that cannot be decoded is returned unchanged. */
export function keyFromHeader(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
