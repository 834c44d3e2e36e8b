/**
 * Sets the clock of a run on a real server, whose own clock differs. `now()` and similar functions
 * are redefined in a schema that is searched before PostgreSQL's own. The functions read sequences,
 * because every session sees changes of sequences at once, whatever its snapshot.
 */
import type { WireClient } from 'test-servers'

/**
 * The search path. PostgreSQL creates tables in the first schema of the path that exists, which is
 * `public`. So the functions are defined in `public`, too.
 */
const path = '"$user",public,pg_catalog'

const at = (sequence: string) =>
  `SELECT 'epoch'::timestamptz + pg_sequence_last_value(${sequence}::regclass) * interval '1 microsecond'`
const ownSequence = (kind: string) => `('clock.${kind}_' || current_setting('onceproof.session'))`

const define = (name: string, type: string, body: string) =>
  `CREATE FUNCTION public.${name}() RETURNS ${type} LANGUAGE sql STABLE AS $body$ ${body} $body$;`

const asNew = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
  END $$;
  CREATE SCHEMA public AUTHORIZATION pg_database_owner;
  GRANT USAGE ON SCHEMA public TO PUBLIC;
  CREATE SCHEMA clock;
  GRANT USAGE ON SCHEMA clock TO PUBLIC;
  ALTER DEFAULT PRIVILEGES IN SCHEMA clock GRANT SELECT ON SEQUENCES TO PUBLIC;
  CREATE SEQUENCE clock.wall;
  ${define('now', 'timestamptz', at(ownSequence('begun')))}
  ${define('transaction_timestamp', 'timestamptz', at(ownSequence('begun')))}
  ${define('statement_timestamp', 'timestamptz', at(ownSequence('asked')))}
  ${define('clock_timestamp', 'timestamptz', at("'clock.wall'"))}
  ${define('cts', 'timestamptz', at(ownSequence('begun')))}
  ${define('lts', 'timestamp', `SELECT public.now()::timestamp`)}
  ${define('cdt', 'date', `SELECT public.now()::date`)}
  ALTER FUNCTION public.clock_timestamp() VOLATILE;`

export class RunClock {
  constructor(private readonly monitor: WireClient) {}

  /**
   * Resets the database and creates clocks for the given number of sessions.
   * @throws Error if the server refuses
   */
  async reset(sessions: number): Promise<void> {
    const sequences = Array.from({ length: sessions }, (_, session) => [`begun_${session}`, `asked_${session}`]).flat()
    await this.#run(asNew + sequences.map((name) => `CREATE SEQUENCE clock.${name};`).join(''))
  }

  /** The settings for the start of a session. */
  settings(session: number): string {
    return `-c onceproof.session=${session} -c search_path=${path}`
  }

  /**
   * Sets the clock for a statement of the session. `begins`: true if a transaction begins with the
   * statement.
   */
  async set(session: number, atUs: number, begins: boolean): Promise<void> {
    const us = Math.round(atUs)
    const sequences = ['wall', `asked_${session}`, ...(begins ? [`begun_${session}`] : [])]
    await this.#run(`SELECT ${sequences.map((name) => `setval('clock.${name}', ${us})`).join(', ')}`)
  }

  /**
   * Sets the clock without a new statement, because waiting statements may resume and read the
   * clock.
   */
  async show(atUs: number): Promise<void> {
    await this.#run(`SELECT setval('clock.wall', ${Math.round(atUs)})`)
  }

  async #run(sql: string): Promise<void> {
    const failed = (await this.monitor.query(sql)).find((answer) => 'error' in answer)
    if (failed !== undefined && 'error' in failed) throw new Error(`the clock of a run: ${failed.error.M}`)
  }
}
