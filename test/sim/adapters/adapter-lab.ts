/** Adapters for tests, and the result of their `create` in simulated processes. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { Lab } from '../../../packages/virtual-node/test/lab.ts'
import { type LoadedImplementation, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'

export class AdapterLab {
  folder = ''

  constructor() {
    beforeAll(() => {
      this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'adapters-')))
    })
    afterAll(() => fs.rmSync(this.folder, { recursive: true }))
  }

  /** Writes files to a folder of that name. The first one is the adapter. */
  adapter(name: string, files: Record<string, string>): string {
    for (const [file, text] of Object.entries(files)) {
      const whole = path.join(this.folder, name, file)
      fs.mkdirSync(path.dirname(whole), { recursive: true })
      fs.writeFileSync(whole, text)
    }
    return path.join(this.folder, name, Object.keys(files)[0]!)
  }

  /** The results of `create` of an adapter with these files, in processes with these names. */
  async created(name: string, files: Record<string, string>, names = ['consumer-1']): Promise<unknown[]> {
    return createdBy(await loadImplementation(this.adapter(name, files)), names)
  }
}

/** An adapter whose `create` returns the value of the expression. */
export const giving = (expression: string, before = '') => `
import { defineImplementation } from 'onceproof'
${before}
export default defineImplementation({ id: 'layer', create: async () => (${expression}) as never })
`

/**
 * The result of `create` in processes with these names. Repeats the run while new modules are named
 * late.
 */
export async function createdBy(loaded: LoadedImplementation, names: string[], fresh = false): Promise<unknown[]> {
  for (;;) {
    const found: unknown[] = []
    const lab = new Lab(1, loaded.path)
    for (const [slot, name] of names.entries())
      lab.start(async () => {
        const adapter = await loaded.instantiate(name, fresh)
        found[slot] = await Promise.resolve(adapter.create(null as never)).catch(reported)
      }, slot)
    await lab.run()
    const takingIn = loaded.takeIn()
    if (takingIn === null) {
      expect(lab.deaths).toEqual([])
      found.push(...lab.unsupportedThings)
      return found
    }
    await takingIn
  }
}

/** An error as its name, code and first line. */
export function reported(error: Error & { code?: string }): string {
  return `${error.name} ${error.code} ${error.message.split('\n')[0]}`
}
