import { incompleteSignature, missingSignature } from '../errors.ts'

/**
 * Checks that the headers contain a signature of version 4. Does not verify the signature. @throws
 * ServiceError
 */
export function checkSignature(headers: Readonly<Record<string, string>>): void {
  const { authorization } = headers
  if (authorization === undefined || !authorization.trim().startsWith('AWS4-')) throw missingSignature()
  const given = new Set(
    authorization
      .split(/[, ]/)
      .slice(1)
      .flatMap((part) => {
        const [name, value] = part.trim().split('=')
        return name !== undefined && value ? [name] : []
      }),
  )
  const missing = ['Credential', 'Signature', 'SignedHeaders'].filter((name) => !given.has(name))
  const reported = missing.map((name) => `Authorization header requires '${name}' parameter. `)
  if (headers['x-amz-date'] === undefined && headers.date === undefined)
    reported.push("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
  if (reported.length > 0) throw incompleteSignature(`${reported.join('')}Authorization=${authorization}`)
}
