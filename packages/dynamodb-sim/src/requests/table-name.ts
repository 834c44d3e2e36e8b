import { validation } from '../errors.ts'

const named = new Set(['CreateTable', 'DescribeTable', 'DeleteTable', 'DescribeTimeToLive'])

/**
 * Checks the table name before anything else, for operations whose main parameter is a table name.
 * @throws ServiceError
 */
export function checkTableName(operation: string, name: unknown): void {
  if (!named.has(operation)) return
  if (name === undefined || name === null)
    throw validation("The parameter 'TableName' is required but was not present in the request")
  const { length } = name as string
  if (length < 3 || length > 255)
    throw validation('TableName must be at least 3 characters long and at most 255 characters long')
}
