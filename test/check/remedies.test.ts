import { expect, it } from 'vitest'
import { invariantDocs } from '../../src/check/docs.ts'
import { changes, moralOf, remedyOf } from '../../src/check/remedies.ts'
import { insteadOf } from '../../src/contract/results/remedy-page.ts'

it('a kind has its own remedy, or else that of the kind before its colon', () => {
  expect(moralOf('repeat-after-loss:expiry')).toBe(
    'A record should live for as long as copies of its message may arrive.',
  )
  expect(moralOf('repeat-after-loss:flush')).toBe(moralOf('repeat-after-loss'))
  expect(moralOf('duplicate')).toMatch(/^The second attempt should /)
})

it('a cause more specific than kind and step has its own remedy, and others have that of the kind', () => {
  const why = 'the script acquire decided by a time that its client passed, which was 400 s ahead: by the true time …'
  expect(moralOf('duplicate', 'EVALSHA acquire: acquired', why)).toContain("Redis's clock")
  // The script may have compared a lease or a retention.
  expect(moralOf('duplicate', 'EVALSHA acquire: acquired', why)).toMatch(
    /^Let Redis's clock decide whether a key is free/,
  )
  expect(moralOf('duplicate', 'EVALSHA acquire: acquired', 'the claim expired')).toBe(moralOf('duplicate'))
})

it('a cause in sessions and transactions has its own remedy, for every kind', () => {
  const early = 'SELECT requests of the next attempt found no row, as the first one had not committed yet; its …'
  const ended = 'the session that held the advisory lock ended while the first attempt was at work'
  expect(moralOf('zombie', 'INSERT requests: INSERT 0 1', early)).toContain('ON CONFLICT DO NOTHING')
  expect(moralOf('duplicate', 'SELECT finished: nothing', ended)).toContain('pg_advisory_xact_lock')
  expect(moralOf('done-without-effect', null, 'the transaction of the effect did not commit: …')).toContain('COMMIT')
  expect(insteadOf('zombie', early)).toBe(insteadOf('duplicate'))
})

it('a loss that was not the cause leaves remedy and page to the actual kind', () => {
  const why =
    'both attempts looked (GET) before either had written, and the second one wrote over the first one’s claim'
  const lost = 'repeat-after-loss:split-brain'
  expect(moralOf(lost, 'GET: nothing', why)).toMatch(/^A read and a write are two steps/)
  expect(insteadOf(lost, why)).toBe(insteadOf('duplicate'))
  expect(insteadOf('zombie', why)).toBe(insteadOf('duplicate'))
  expect(moralOf(lost, 'GET: nothing', 'the data of the key was thrown away')).toBe(moralOf(lost))
})

it('a cause more specific than its kind leads to its own section', () => {
  const inTurn =
    'the claim of the first attempt expired after 1 s, while it was still at work, and others took the key one after the other'
  expect(insteadOf('duplicate', inTurn)).toBe(insteadOf('zombie'))
  const away = 'no command of the second attempt was executed before its effect, while Redis was down'
  expect(insteadOf('repeat-after-error', away)).toBe(insteadOf('duplicate'))
  expect(insteadOf('repeat-after-error')).not.toBe(insteadOf('duplicate'))
})

it('a read that was not repeated under the claim should be repeated, even if its attempt came late', () => {
  const why =
    'the second attempt looked (GET) before the first had written its record there, and did not look again once its claim (SET NX) was granted'
  expect(moralOf('zombie', 'SET: OK', why)).toMatch(/^Read the record again once the claim is granted/)
  expect(insteadOf('zombie', why)).toBe(insteadOf('duplicate'))
  expect(insteadOf('zombie', 'the lease ended while the holder stood still')).toBe(insteadOf('zombie'))
})

it('an expiry without a known effect gives no advice on the life of records', () => {
  const reported = (why: string) => moralOf('repeat-after-loss:expiry', 'GET: a value', why)
  const [last, expired] = ['the last effect was sent after GET had answered a value', 'the record expired after 1 h']
  expect(reported(last)).toBe(moralOf('duplicate'))
  expect(insteadOf('repeat-after-loss:expiry', last)).toBe(insteadOf('duplicate'))
  expect(reported('DEL of one attempt (b) deleted the claim of another (a), and so on')).toBe(moralOf('duplicate'))
  expect(reported(`${expired}, while deliveries of the message still came`)).toMatch(/^A record should live/)
})

it('a claim that ended beside a loss has the remedy of a late holder, and a race that of a race', () => {
  const lost = 'repeat-after-loss:flush'
  for (const [why, kind] of [
    ['the lease ended while the holder stalled, and no command checked it again before the effect', 'zombie'],
    ['the claim expired after 5 s, while its holder was still at work, and the next attempt took the key', 'zombie'],
    ['the claim expired, while its holder was still at work: the next attempt took the key, and so on', 'zombie'],
    ['the handler called the sink twice within one delivery', 'duplicate'],
    ['no command of the second attempt was executed before its effect', 'duplicate'],
    ["another attempt was done after this one had begun, and this one's SET wrote over the record of it", 'duplicate'],
    ['its claim was refused, the other one had expired by the time it looked, and so on', 'duplicate'],
    ['DEL of one attempt (b) deleted the claim of another (a), and so on', 'duplicate'],
    ['the record expired after 1 h, while deliveries of the message still came', 'repeat-after-loss:expiry'],
    ['Redis was emptied, and all data with it; so the next attempt performed again', lost],
  ] as const) {
    expect(insteadOf(lost, why)).toBe(insteadOf(kind))
    expect(moralOf(lost, null, why)).toBe(moralOf(kind))
  }
})

it('a script with a wrong time leads to the page of two simultaneous attempts, even if its attempt came late', () => {
  const why = 'the script acquire decided by a time that its client passed, which was 400 s ahead: by the true time …'
  expect(insteadOf('zombie', why)).toBe(insteadOf('duplicate'))
  expect(insteadOf('zombie', 'the next attempt performed after the script acquire')).toBe(insteadOf('zombie'))
})

it('a read that missed a write leads to the page of two simultaneous attempts, whatever happened to the first', () => {
  const why =
    'GetItem t of the next attempt was not consistent, and missed the last write to the item (it answered no item, though one was there); so the attempt performed again'
  for (const kind of ['duplicate', 'zombie', 'repeat-after-error']) {
    expect(moralOf(kind, 'GetItem t: a value', why)).toContain('ConsistentRead')
    expect(insteadOf(kind, why)).toBe(insteadOf('duplicate'))
  }
  const asked = 'the next attempt performed after GetItem t had answered a value'
  expect(insteadOf('zombie', asked)).toBe(insteadOf('zombie'))
})

it('overlapping attempts need the change for errors if the first one freed the key after an error', () => {
  const freed = 'the first attempt gave up; the layer treated that as a failure and deleted its claim'
  expect(remedyOf('zombie', null, freed)).toEqual(remedyOf('repeat-after-error', null, freed))
  expect(remedyOf('zombie', null, freed)?.id).toBe('error-is-no-refusal')
  expect(remedyOf('zombie')?.id).toBe('slow-holder')
})

it.each([
  [
    'SET NX',
    'done-without-effect',
    'a claim was mistaken for an effect: the attempt that had written it failed without one, and so on',
    'done-without-an-effect',
  ],
  [
    'SET NX',
    'repeat-after-error',
    "the sink's answer to the first attempt was an error, though the effect was applied; the layer treated that as a failure and deleted its claim",
    'an-error-is-not-a-refusal',
  ],
  [
    'SET NX',
    'repeat-after-error',
    'the first attempt gave up before the sink had answered it; it deleted its claim',
    'an-error-is-not-a-refusal',
  ],
  [
    'DEL',
    'zombie',
    'DEL of one attempt (b) deleted the claim of another (a), and the next attempt found the key free',
    'two-attempts-at-once',
  ],
  [
    'SET NX',
    'repeat-after-crash',
    'the process died after it had sent the effect; DEL of b deleted the claim, and the next attempt found the key free',
    'a-crash-in-between',
  ],
  [
    'SET NX',
    'different-result',
    'a duplicate was answered done with nothing while another attempt was still at work (SET NX answered nothing)',
    'done-without-an-effect',
  ],
  ['SET NX', 'different-result', 'a duplicate was answered done with something else', 'another-result'],
  [
    'GET',
    'given-up',
    'the connections of consumer-1 were half-open, and its client closed them only after 924 s',
    'delayed-for-too-long',
  ],
  [
    'GET',
    'given-up',
    'an attempt died and left its claim behind: it turned later ones away',
    'a-message-that-was-given-up',
  ],
])(
  'a mark that is written first and deleted on failure has the section of each cause: %s, %s',
  (_, kind, why, section) => {
    expect(insteadOf(kind, why)).toBe(`docs/findings/instead.md#${section}`)
  },
)

it('a client that keeps a dead connection should have a time-out, and a job should become free again', () => {
  const kept =
    'the connections of consumer-1 were half-open, and its client closed them only after 924 s (Error: read ETIMEDOUT)'
  expect(moralOf('retry-goes-on', null, kept)).toContain('`socketTimeout`')
  expect(remedyOf('retry-goes-on', null, kept)?.fix).toContain('commandTimeout leaves it open')
  expect(moralOf('retry-goes-on', null, 'an attempt died and left its claim behind')).toContain('taken over the key')
  const taken =
    'b had taken the job (RPOPLPUSH) and died before it called the sink; no worker called the sink for the key'
  expect(moralOf('accepted-and-forgotten', null, taken)).toMatch(/^Free a job again/)
  expect(moralOf('accepted-and-forgotten', null, 'the last effect was sent')).toContain('mark it as sent only then')
})

it('a loss that may not be the reason leaves the remedy to a kind with the end of the first attempt', () => {
  const lost = 'Redis was emptied, and the data written for the key with it; '
  const certain = `${lost}HSETNX of the next attempt then answered 1`
  for (const kind of ['zombie', 'repeat-after-crash', 'repeat-after-error']) {
    expect(insteadOf(kind, certain)).toBe(insteadOf(kind))
    expect(moralOf(kind, null, certain)).toBe(moralOf(kind))
    expect(insteadOf(kind, `${lost}so the next attempt performed again`)).toBe(insteadOf('repeat-after-loss'))
  }
  expect(insteadOf('duplicate', certain)).toBe(insteadOf('repeat-after-loss'))
})

it('an unknown kind has no remedy', () => expect(moralOf('no-such-kind')).toBeNull())

it('an effect after an error of the store needs an answer from the store', () => {
  const nameOf = (why: string) => remedyOf('duplicate', 'SET: error BUSY', why)?.id
  expect(nameOf('the last effect was sent after SET NX had answered error BUSY')).toBe('no-answer')
  expect(nameOf('the last effect was sent after SET NX had answered nothing')).toBe('two-at-once')
})

it('each kind of violation has a change with a title and a fix that fit in a row', () => {
  const kinds = Object.values(invariantDocs).flatMap((doc) => Object.keys(doc.remedies))
  expect(kinds.filter((kind) => remedyOf(kind) === null)).toEqual([])
  for (const [title, fix] of Object.values(changes)) {
    expect(title.length).toBeLessThanOrEqual(70)
    expect(fix.length).toBeLessThanOrEqual(94)
  }
})

it('an attempt that outlived its claim should write the begin, not only ask', () => {
  const { fix } = remedyOf('zombie', null, 'the lease ended while the holder stood still')!
  expect(fix).toMatch(/write BEGUN.+never take BEGUN over/)
})

it('the advice about errors and refusals holds also if the layer frees nothing, and if copies follow', () => {
  const expired = remedyOf('repeat-after-error', null, 'the first attempt gave up …; the claim expired after 5 min')!
  expect(expired.title).not.toContain('refusal')
  expect(expired.fix).toContain('no expiry frees it')
  expect(remedyOf('refused-then-applied')!.fix).toContain('Record that')
  const refused = 'the sink refused the effect for good 4 times, and no attempt answered refused'
  expect(remedyOf('given-up', null, refused)).toMatchObject({
    id: 'put-off',
    fix: expect.stringContaining('refused (on record)'),
    moral: expect.stringContaining('Answer each copy from the record'),
  })
})
