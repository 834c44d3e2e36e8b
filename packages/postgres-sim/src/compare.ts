/**
 * Masks the parts of an error that differ between two servers with the same behavior: ids and
 * numbers, and the choice of the reported cycle if a deadlock has several.
 */
export function masked(text: string): string {
  // PostgreSQL collects weak table locks in the order of the sessions' slots, which depends on the
  // sessions that have ended before.
  if (/^Process \d+ waits for .* on relation /m.test(text)) return 'a deadlock that includes a table lock'
  return text
    .replace(/(transaction|pivot) \d+/g, '$1 N')
    .replace(/relation \d+ of database \d+/g, 'relation N of database N')
    .replace(/\[\d+,(\d+,\d+,\d+)\]/g, '[N,$1]')
}
