/** The URL of a server that the user names, taken apart. */
import { LiveProblem } from '../environment/problem.ts'

export type ServerUrl = Pick<URL, 'protocol' | 'hostname' | 'port' | 'username' | 'password' | 'pathname' | 'search'>

/**
 * Names and passwords are as they are meant. @throws LiveProblem with that remedy where it is none
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
