import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { needs, pathOf } from '../../../test/needs/needs.ts'
import { commandFiles } from '../fidelity/real-commands.ts'

// This command updates the tables: npx tsx packages/redis-sim/fidelity/write-commands.ts
needs({ redis: '7.0.15' }).it('the command tables equal those of a real redis-server and a real Sentinel', async () => {
  for (const [file, text] of Object.entries(await commandFiles(pathOf('redis'))))
    expect(readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8'), file).toBe(text)
})
