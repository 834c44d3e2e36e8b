/**
 * A command's words with the name that its label uses: EVAL becomes EVALSHA, because both are the
 * same step (`CommandLabels`).
 */
export const asLabelled = (command: string): string => command.replace(/^EVAL(?= )/i, 'EVALSHA')
