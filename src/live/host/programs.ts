import { fileURLToPath } from 'node:url'

/** The consumer's own program, to be bundled before it is run. */
export const consumerProgram = fileURLToPath(new URL('../consumer/main.ts', import.meta.url))
