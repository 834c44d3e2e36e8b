/** Calls of WAL functions with PostgreSQL's answers; an answer is the value or the error. */
export const walAnswers: readonly (readonly [sql: string, answer: string])[] = [
  ["SELECT pg_walfile_name('0/1') AS of", '000000010000000000000000'],
  ["SELECT pg_walfile_name('1/1000001') AS of", '000000010000000100000001'],
  ["SELECT pg_walfile_name('0/0') AS of", '00000001FFFFFFFF000000FF'],
  ["SELECT pg_walfile_name('FFFFFFFF/0') AS of", '00000001FFFFFFFE000000FF'],
  ["SELECT 'a0/1F'::pg_lsn AS of", 'A0/1F'],
  ["SELECT ('0/2'::pg_lsn > '0/01'::pg_lsn)::text AS of", 'true'],
  ["SELECT pg_walfile_name('x') AS of", 'invalid input syntax for type pg_lsn: "x"'],
  ["SELECT pg_walfile_name('0/123456789') AS of", 'invalid input syntax for type pg_lsn: "0/123456789"'],
  ["SELECT pg_walfile_name('0/1'::text) AS of", 'function pg_walfile_name(text) does not exist'],
]
