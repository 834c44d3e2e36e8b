import { fileURLToPath } from 'node:url'

/** The consumer's program. It is bundled before it runs. */
export const consumerProgram = fileURLToPath(new URL('../consumer/main.ts', import.meta.url))
