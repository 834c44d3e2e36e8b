import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-looks-before',
  about: 'Reads first and inserts later, without a unique key.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/schema.ts',
      find: '  key         text    PRIMARY KEY,',
      replace: '  key         text    NOT NULL,',
    },
    {
      file: 'src/impl/postgres/schema.ts',
      find: "    await checkTables(client, at)\n    await client.query('COMMIT')",
      replace: "    await client.query('COMMIT')",
    },
    { file: 'src/impl/postgres/sessions.ts', find: 'if (!this.#checked) {', replace: 'if (Math.random() > 1) {' },
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: 'FROM waits\n  ON CONFLICT (key) DO NOTHING',
      replace: 'FROM waits\n  WHERE NOT EXISTS (SELECT FROM ${at.records} WHERE key = $1)',
    },
  ],
  hunt: { killedBy: [], scenarios: ['competing-consumers'], sink: 'transactional' },
})
