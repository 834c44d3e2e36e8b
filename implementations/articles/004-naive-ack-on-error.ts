/**
 * Article 004, first pattern as in 004-naive.ts. The article does not define acknowledgement of
 * errors; here they are acknowledged. For the contract that is a refusal with the error's text.
 */
import { naive } from './004-naive.ts'

export default naive({
  id: '004-naive-ack-on-error',
  about: 'GET a result, perform, SET the result; errors are acknowledged (article 004, first pattern).',
  failed: ({ message }) => ({ status: 'refused', error: message }),
})
