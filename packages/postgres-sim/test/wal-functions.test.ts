import { expect, it } from 'vitest'
import { Lab } from './lab.ts'
import { walAnswers } from './wal-answers.ts'

it.each(walAnswers)('the simulated PostgreSQL gives the recorded answer: %s', (sql, answer) => {
  expect(new Lab().ask('one', sql).replace(/^(SELECT 1: |\w{5}: |ERROR: )/, '')).toContain(answer)
})
