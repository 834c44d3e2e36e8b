// The watchdog's thread, where the command line runs from its sources.
import { setTimeout } from 'node:timers/promises'

// Most commands that run from sources are short ones of tests, and loading tsx takes 400 ms of CPU.
await setTimeout(1_000)
const { register } = await import('tsx/esm/api')
register()
await import('./watchdog-task.ts')
