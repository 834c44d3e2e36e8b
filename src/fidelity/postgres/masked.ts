/** Numbers that differ between two servers of the same behaviour. */
export function masked(text: string): string {
  return text
    .replace(/(transaction|pivot) \d+/g, '$1 N')
    .replace(/relation \d+ of database \d+/g, 'relation N of database N')
    .replace(/\[\d+,(\d+,\d+,\d+)\]/g, '[N,$1]')
}
