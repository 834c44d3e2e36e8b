/**
 * A command's words with the name of its label: EVAL becomes EVALSHA, because both are the same
 * step (`CommandLabels`).
 */
export const asLabelled = (command: string): string => command.replace(/^EVAL(?= )/i, 'EVALSHA')
