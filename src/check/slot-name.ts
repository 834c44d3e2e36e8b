/** The consumer slot that a process lived in: `consumer-2` of `consumer-2.3`. */
export const slotName = (process: string): string => process.split('.')[0]!
