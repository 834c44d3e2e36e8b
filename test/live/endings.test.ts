/** What remains if a live run could not begin or has ended. The servers are fakes. */
import { expect, it, vi } from 'vitest'
import { liveRun } from '../../src/live/host/live-run.ts'
import { LiveServer, type ServerMachine } from '../../src/live/servers/live-server.ts'

const machine = () =>
  ({
    host: '127.0.0.1',
    port: 1,
    access: {},
    start: vi.fn(async () => {}),
    kill: vi.fn(async () => {}),
  }) as unknown as ServerMachine

it('servers are closed if the run has no folder to write to', async () => {
  const close = vi.fn(async () => {})
  const environment = { startServers: async () => ({ machine: machine(), close }) }
  const directory = { folder: '/nowhere/at/all' }
  await expect(liveRun({ environment, directory, sink: 'plain', shape: 'single', plan: {} } as never)).rejects.toThrow(
    'ENOENT',
  )
  expect(close).toHaveBeenCalledTimes(1)
})

it('a server whose restart falls after the end of its run is not started', async () => {
  const dead = machine()
  const server = new LiveServer(
    dead,
    () => '',
    '*',
    () => {},
  )
  await server.stop()
  server.close()
  await server.startEmpty()
  expect(dead.start).not.toHaveBeenCalled()
})
