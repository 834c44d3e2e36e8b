/** An answer that says why not: Toxiproxy's words and status codes. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

export const badBody = (why: string) => new ApiError(`bad request body: ${why}`, 400)

export const errors = {
  missingField: (what: string) => new ApiError(`missing required field: ${what}`, 400),
  proxyNotFound: () => new ApiError('proxy not found', 404),
  proxyExists: () => new ApiError('proxy already exists', 409),
  invalidStream: () => new ApiError('stream was invalid, can be either upstream or downstream', 400),
  invalidToxicType: () => new ApiError('invalid toxic type', 400),
  toxicExists: () => new ApiError('toxic already exists', 409),
  toxicNotFound: () => new ApiError('toxic not found', 404),
}
