/** Worlds with PostgreSQL and adapters for tests, like `world-lab.ts` for Redis. */
import { Client } from 'pg'
import type { CreateContext, Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'

type Handle = (message: Message, client: Client, context: CreateContext) => Promise<Outcome> | Outcome

type Adapter = Pick<Implementation, 'create' | 'deploy' | 'stores'>

const schema = 'CREATE TABLE records (key text PRIMARY KEY, value text)'

/**
 * `handle` gets the message, and a `pg` client with its own connection. Errors of the client go to
 * `errors`.
 */
export function pgLayer(handle: Handle, errors: string[] = []): Adapter {
  return {
    stores: ['postgres'],
    async deploy({ postgres }) {
      const client = new Client(postgres!.options)
      await client.connect()
      await client.query(schema)
      await client.end()
    },
    create(context) {
      return {
        async handle(message) {
          const client = new Client(context.postgres!.options)
          client.on('error', ({ message: text }) => errors.push(text))
          await client.connect()
          return handle(message, client, context)
        },
      }
    },
  }
}

/** The SQLSTATE of the error, or the code of a socket error; null for success. */
export const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
