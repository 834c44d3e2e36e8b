/** The name of a process's consumer slot: `consumer-2` for `consumer-2.3`. */
export const slotName = (process: string): string => process.split('.')[0]!
