// The watchdog's thread, where the command line runs from its sources.
import { register } from 'tsx/esm/api'

register()
await import('./watchdog-task.ts')
