/**
 * Escapes text of layers for one line of a terminal: characters that would move the cursor, end the
 * line or change the direction of the text.
 */
export function visible(text: string): string {
  return text.replaceAll(hidden, (found) => short[found] ?? escaped(found))
}

/**
 * Escapes the same characters in Onceproof's own text, except for line ends, tabs and colour codes.
 */
export function visibleLines(text: string): string {
  return text.replaceAll(hiddenButColours, (found, colour?: string) => colour ?? escaped(found))
}

const unseen =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufffe\\uffff'
const halves = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]'
const hidden = new RegExp(`[\\t\\n${unseen}]|${halves}`, 'g')
const hiddenButColours = new RegExp(`(\\u001b\\[[\\d;]*m)|[${unseen}]|${halves}`, 'g')

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  const code = character.charCodeAt(0)
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
