import fs from 'node:fs'
import path from 'node:path'
import { RedisServers, ServerGone } from 'test-servers'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/cli/run-cli.ts'

/** Starts a program that prints redis-server's ready line and then waits. */
async function started() {
  const folder = temporaryFolder()
  const file = path.join(folder, 'redis-server')
  const pidFile = path.join(folder, 'pid')
  fs.writeFileSync(file, `#!/bin/sh\necho $$ >${pidFile}\necho Ready to accept connections\nexec sleep 60\n`, {
    mode: 0o755,
  })
  const servers = new RedisServers(file)
  await servers.start('first')
  return { servers, pid: Number(fs.readFileSync(pidFile, 'utf8')) }
}

it.each(['runs', 'stands still', 'was killed'] as const)('a server that %s can be stopped', async (before) => {
  const { servers, pid } = await started()
  if (before === 'stands still') servers.of('first').pause()
  if (before === 'was killed') await servers.of('first').kill()
  await servers.stop()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

it('`stop` fails and names a server that ended by itself before', async () => {
  const { servers, pid } = await started()
  process.kill(pid, 'SIGKILL')
  await expect(servers.stop()).rejects.toThrow(new ServerGone('the real server first ended by itself (SIGKILL)'))
})
