/**
 * Writes the command tables of the engine from a real redis-server 7.0.15:
 * `npx tsx packages/redis-sim/fidelity/write-commands.ts`.
 */
import { writeFileSync } from 'node:fs'
import { findProgram } from 'test-servers'
import { commandFiles } from './real-commands.ts'

const program = findProgram('redis-server')
if (program === undefined)
  throw new Error('redis-server not found; install Redis (Debian: apt-get install redis-server)')
for (const [file, text] of Object.entries(await commandFiles(program)))
  writeFileSync(new URL(`../src/${file}`, import.meta.url), text)
