/** Whether executed lines on which a statement begins are counted or passed to a function. */
export type LineWatch = 'count' | ((line: number) => void)
