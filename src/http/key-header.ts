/**
 * A key as the header `Idempotency-Key` carries it: visible ASCII as it stands, anything else, and
 * `%`, percent-encoded in UTF-8, since a field value has no other characters (RFC 9110, 5.5). Two
 * keys never have one text.
 */
export function keyToHeader(key: string): string {
  return key.replace(/[^\x21-\x7e]+|%/gu, encodeURIComponent)
}

/** The key that such a text stands for; a text that is none is a key itself. */
export function keyFromHeader(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
