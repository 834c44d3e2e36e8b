/** Commands that need a package which users install themselves. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { type CliResult, onceproofOf, write } from '../cli/run-cli.ts'
import { root } from './consumer.ts'

const patientMs = 300_000

/** It imports no client, so that only Onceproof lacks one. */
const onPostgres = `
import { defineImplementation } from 'onceproof'
export default defineImplementation({
  id: 'on-postgres',
  stores: ['postgres'],
  create: () => ({ handle: async () => ({ status: 'retry' }), close() {} }),
})
`
const importsBullmq = `import 'bullmq'\n${onPostgres}`

/** A package with its major version, a command, and the output line if the package is installed. */
const commands = [
  ['bullmq@6', 'worker --fleet redis://127.0.0.1:1', /it does not answer/],
  ['bullmq@6', 'run --fleet redis://127.0.0.1:1', /it does not answer/],
  ['pg@8', 'live --impl ./on-postgres.ts --with postgres://a:b@127.0.0.1:1/c', /unreachable/],
  ['pg@8', 'once doubts --postgres postgres://a:b@127.0.0.1:1/c', /no answer/],
  ['pg@8', 'run --impl reference-postgres --scenario redis-restart', /skipped, tests Redis/],
  ['testcontainers@11', 'live --impl reference --with docker', /no container engine answers/],
  ['toxiproxy-node-client@4', 'live --with redis://127.0.0.1:1 --proxy http://127.0.0.1:1', /no Toxiproxy answers/],
] as const

/** Its tests, in a folder that has Onceproof and none of these packages. */
export function describePeers(installed: () => string): void {
  const said = async (command: string): Promise<[CliResult['code'], string[]]> => {
    const context = { cwd: installed(), env: { DOCKER_HOST: 'unix:///no/such.sock' } }
    const own = path.join(installed(), 'node_modules/onceproof')
    const { code, stdout, stderr } = await onceproofOf(own, command.split(' '), context)
    const lines = `${stdout}${stderr}`.trimEnd().split('\n')
    // On a slow machine, it also prints that it is loading.
    return [code, lines.filter((line) => !line.startsWith('…'))]
  }
  const places = () => {
    const names = new Set(commands.map(([pinned]) => pinned.split('@')[0]!))
    return [...names].map((name) => [name, path.join(installed(), 'node_modules', name)] as const)
  }

  it(
    'print one line with the missing package and its installation, exit with 2, and work once it is installed',
    async () => {
      write(installed(), 'on-postgres.ts', onPostgres)
      const all = () => Promise.all(commands.map(([, command]) => said(command)))
      const lines = commands.map(([pinned]) => {
        const [name] = pinned.split('@')
        return `onceproof: ${name}: not installed; npm install ${pinned}`
      })
      expect(await all()).toEqual(lines.map((line) => [2, [line]]))
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(90)
      for (const [name, place] of places()) fs.symlinkSync(path.join(root, 'node_modules', name), place)
      const next = (await all()).map(([, said]) => said.join('\n'))
      expect(next).toEqual(commands.map(([, , says]) => expect.stringMatching(says)))
      for (const [, place] of places()) fs.rmSync(place)
    },
    patientMs,
  )

  it('report a layer of the user that imports a missing package', async () => {
    write(installed(), 'imports-bullmq.ts', importsBullmq)
    const line = /^onceproof: imports-bullmq.ts: .*"bullmq" \(imports-bullmq.ts:1\); install it/
    expect(await said('run --impl ./imports-bullmq.ts')).toEqual([2, [expect.stringMatching(line)]])
  })
}
