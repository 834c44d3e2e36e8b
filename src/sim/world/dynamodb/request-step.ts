import type { HttpRequest } from 'dynamodb-sim'
import { labelOfRequest, stringsOfRequest } from '../../../run/request-labels.ts'

/** One request, as faults and histories represent it. */
export interface RequestStep {
  readonly operation: string
  readonly label: string
  /** The body of the request, one character for each byte. */
  readonly body: string
  readonly members: unknown
  /** The strings in the request, which show its key. */
  readonly about: string | undefined
}

/** The step of a request; null if the HTTP request is not a request of the API. */
export function stepOf({ headers, body }: HttpRequest): RequestStep | null {
  const [, operation] = (headers['x-amz-target'] ?? '').split('.')
  if (operation === undefined) return null
  const members = membersOf(Buffer.from(body, 'latin1').toString())
  const about = stringsOfRequest(members).join(' ')
  return {
    operation,
    label: labelOfRequest(operation, members),
    body,
    members,
    about: about === '' ? undefined : about,
  }
}

function membersOf(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return null
  }
}
