/**
 * What compiled code does for each executed line on which a statement begins: it counts the line or
 * calls this function.
 */
export type LineWatch = 'count' | ((line: number) => void)
