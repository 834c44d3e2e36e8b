import { fileURLToPath } from 'node:url'

/** The path of the consumer's program, which is bundled before it runs. */
export const consumerProgram = fileURLToPath(new URL('../consumer/main.ts', import.meta.url))
