/**
 * Without what differs between two servers of the same behaviour: numbers, and which of several
 * circles a deadlock names.
 */
export function masked(text: string): string {
  // Weak locks of tables come to be known in the order of the sessions' slots, which hangs on who
  // left before.
  if (/^Process \d+ waits for .* on relation /m.test(text)) return 'a circle with a table in it'
  return text
    .replace(/(transaction|pivot) \d+/g, '$1 N')
    .replace(/relation \d+ of database \d+/g, 'relation N of database N')
    .replace(/\[\d+,(\d+,\d+,\d+)\]/g, '[N,$1]')
}
