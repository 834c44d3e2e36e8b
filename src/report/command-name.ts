/**
 * A command's words under the name that labels have: what runs a script is EVALSHA, whether its
 * body was sent along or not, for it is the same step (`CommandLabels`).
 */
export const asLabelled = (command: string): string => command.replace(/^EVAL(?= )/i, 'EVALSHA')
