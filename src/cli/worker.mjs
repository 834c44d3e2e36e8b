// A worker thread's way in: it compiles the sources as bin/onceproof.mjs does, then takes tasks.
import { register } from 'tsx/esm/api'

register()
const { takeTask } = await import('./worker-task.ts')
export default takeTask
