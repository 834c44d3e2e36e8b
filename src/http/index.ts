/** `onceproof/http`: layers that are HTTP servers. */
export { defineHttpImplementation, type HttpImplementation, type HttpRequest } from './define.ts'
export { type HttpReply, HttpTimeout } from './exchange.ts'
export { keyToHeader } from './key-header.ts'
export { HttpFailure } from './outcome-of.ts'
export type { HttpApp, RequestHandler } from './serve.ts'
