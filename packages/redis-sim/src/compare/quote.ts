/** Formats bytes for reports: in quotes and with escapes only if the bytes need them. */
export function quote(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) && !/["'\\]/.test(text)
    ? text
    : `"${text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`
}
