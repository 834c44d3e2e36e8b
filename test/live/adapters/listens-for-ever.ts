/** The layer that listens, edited so that it never comes to its effect. */
import { listening } from './listens.ts'

export default listening('listens-for-ever', () => new Promise(() => {}))
