/**
 * A process whose timers are held, like those of a consumer. It prints which timers fired, and lets
 * none fire on its own.
 */
import { once } from 'node:events'
import net from 'node:net'
import timersPromises, { scheduler } from 'node:timers/promises'
import { holdIdleLimit } from '../../../../src/live/consumer/held-idle.ts'
import { fireTimer, holdTimers } from '../../../../src/live/consumer/held-timers.ts'
import type { WatchedSocket } from '../../../../src/live/consumer/sent-command.ts'

const said: string[] = []
const delays = new Map<number, number>()
process.send = ((message: { type: string; timer: number; delayMs: number }) => {
  if (message.type === 'timer-set') delays.set(message.timer, message.delayMs)
  return true
}) as NonNullable<typeof process.send>
const fire = async (delayMs: number): Promise<void> => {
  for (const [timer, ms] of delays) if (ms === delayMs) fireTimer(timer)
  await new Promise(setImmediate)
}

holdTimers()
const server = net.createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
await once(socket, 'connect')
holdIdleLimit(socket as WatchedSocket)
socket.setTimeout(34, () => said.push('idle'))
const signal = AbortSignal.timeout(31)
signal.addEventListener('abort', () => said.push(`${signal.reason.name}`))
void scheduler.wait(32).then(() => said.push('waited'))
void (async () => {
  for await (const tick of timersPromises.setInterval(33, 'tick')) said.push(tick)
})()
// A busy wait until all of them would be due as timers of Node.
const started = performance.now()
while (performance.now() - started < 60) await new Promise(setImmediate)
const early = [...said]
await fire(33)
await fire(31)
await fire(32)
await fire(33)
await fire(34)
process.stdout.write(JSON.stringify({ early, said }), () => process.exit(0))
