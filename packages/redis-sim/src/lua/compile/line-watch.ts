/** Executed lines on which a statement begins are either counted or passed to this function. */
export type LineWatch = 'count' | ((line: number) => void)
