/**
 * What is done with each line of a chunk at which a statement begins, when it is executed: counted,
 * or told.
 */
export type LineWatch = 'count' | ((line: number) => void)
