/** Parses the URL of a server that the user names. */
import { LiveProblem } from '../environment/problem.ts'

export type ServerUrl = Pick<URL, 'protocol' | 'hostname' | 'port' | 'username' | 'password' | 'pathname' | 'search'>

/**
 * Parses the URL, and decodes names and passwords.
 * @throws LiveProblem with that remedy if the text is not a URL
 */
export function readServerUrl(text: string, remedy: string): ServerUrl {
  try {
    const { protocol, hostname, port, username, password, pathname, search } = new URL(text)
    const [user, secret, path] = [username, password, pathname].map(decodeURIComponent) as [string, string, string]
    return {
      ...{ protocol, port, search },
      hostname: hostname.replace(/^\[|\]$/g, ''),
      ...{ username: user, password: secret, pathname: path },
    }
  } catch {
    throw new LiveProblem(`--with ${withoutPassword(text)}`, remedy)
  }
}

export const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, '//…@')
