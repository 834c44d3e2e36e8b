import { ApiError, badBody } from './api-error.ts'
import type { Proxies } from './proxies.ts'
import type { TcpProxy } from './tcp-proxy.ts'
import { toxicJson } from './toxic.ts'

/** `body` undefined: none. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
}

/** The version of Toxiproxy whose API this is, and who speaks it. */
const version = '2.12.0+onceproof'

const noContent: Answer = { status: 204 }

type Fields = Readonly<Record<string, unknown>>
type Handler = (proxies: Proxies, text: string, proxy: string, toxic: string) => Promise<Answer> | Answer

/** By method and path; `*` is the name of a proxy or a toxic. */
const routes: Readonly<Record<string, Handler>> = {
  'GET version': () => ({ status: 200, body: { version } }),
  'POST reset': (proxies) => proxies.reset().then(() => noContent),
  'POST populate': (proxies, text) => populate(proxies, text),
  'GET proxies': (proxies) => ({ status: 200, body: proxies.json() }),
  'POST proxies': async (proxies, text) => ({ status: 201, body: (await proxies.create(fieldsOf(text))).json() }),
  'GET proxies/*': (proxies, _, name) => ({ status: 200, body: proxies.get(name).json() }),
  'POST proxies/*': updateProxy,
  'PATCH proxies/*': updateProxy,
  'DELETE proxies/*': (proxies, _, name) => proxies.remove(name).then(() => noContent),
  'GET proxies/*/toxics': (proxies, _, name) => ({ status: 200, body: proxies.get(name).toxicsJson() }),
  'POST proxies/*/toxics': (proxies, text, name) => {
    const proxy = proxies.get(name)
    return { status: 200, body: toxicJson(proxy.addToxic(fieldsOf(text))) }
  },
  'GET proxies/*/toxics/*': (proxies, _, name, toxic) => ({
    status: 200,
    body: toxicJson(proxies.get(name).toxic(toxic)),
  }),
  'POST proxies/*/toxics/*': updateToxic,
  'PATCH proxies/*/toxics/*': updateToxic,
  'DELETE proxies/*/toxics/*': async (proxies, _, name, toxic) => {
    await proxies.get(name).removeToxic(toxic)
    return noContent
  },
}

/** What the request of this method and path, with this text as its body, is answered. */
export async function answer(proxies: Proxies, method: string, path: string, text: string): Promise<Answer> {
  const parts = path.split('/').slice(1)
  const shape = parts.map((part, index) => (index % 2 === 1 ? '*' : part)).join('/')
  const handler = routes[`${method} ${shape}`]
  if (handler === undefined) {
    const known = Object.keys(routes).some((route) => route.split(' ')[1] === shape)
    return known ? { status: 405 } : errorAnswer(new ApiError('page not found', 404))
  }
  try {
    return await handler(proxies, text, decodeURIComponent(parts[1] ?? ''), decodeURIComponent(parts[3] ?? ''))
  } catch (error) {
    return errorAnswer(error)
  }
}

async function updateProxy(proxies: Proxies, text: string, name: string): Promise<Answer> {
  proxies.get(name)
  return { status: 200, body: (await proxies.update(name, fieldsOf(text))).json() }
}

async function updateToxic(proxies: Proxies, text: string, name: string, toxic: string): Promise<Answer> {
  const proxy = proxies.get(name)
  proxy.toxic(toxic)
  return { status: 200, body: toxicJson(await proxy.updateToxic(toxic, fieldsOf(text))) }
}

/** Those made before one failed are named beside the error. */
async function populate(proxies: Proxies, text: string): Promise<Answer> {
  const made: TcpProxy[] = []
  let failure: ReturnType<typeof failureOf> | undefined
  try {
    const bodies = jsonOf(text)
    if (!Array.isArray(bodies)) throw badBody('must be an array of proxies')
    await proxies.populate(bodies.map(checkFields), (proxy) => made.push(proxy))
  } catch (error) {
    failure = failureOf(error)
  }
  return { status: failure?.status ?? 201, body: { ...failure, proxies: made.map((proxy) => proxy.json()) } }
}

/** An operating error, such as an address in use, is the server's (500), as in Toxiproxy. */
function failureOf(error: unknown): { error: string; status: number } {
  return { error: (error as Error).message, status: error instanceof ApiError ? error.status : 500 }
}

function errorAnswer(error: unknown): Answer {
  const body = failureOf(error)
  return { status: body.status, body }
}

function fieldsOf(text: string): Fields {
  return checkFields(jsonOf(text))
}

function checkFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badBody('must be an object')
  return value as Fields
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw badBody((error as Error).message)
  }
}
