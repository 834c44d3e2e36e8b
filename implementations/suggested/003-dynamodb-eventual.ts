/**
 * Article 003, third strategy as in 003-dynamodb.ts, with the read that the article warns about: it
 * is eventually consistent, so it may return an outdated item.
 */
import { conditionalPut } from '../articles/003-dynamodb.ts'

export default conditionalPut({
  id: '003-dynamodb-eventual',
  about: 'The conditional put of 003-dynamodb with an eventually consistent read (article 003, its warning).',
  consistent: false,
})
