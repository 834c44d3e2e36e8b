/** The layer that listens, changed so that it never reaches its effect. */
import { listening } from './listens.ts'

export default listening('listens-for-ever', () => new Promise(() => {}))
