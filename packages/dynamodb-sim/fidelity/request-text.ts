/** A well-formed signature. Neither side checks its value. */
export const authorization =
  'AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'

/** A request in the format of the SDK, as bytes (latin1 text). */
export function requestText(operation: string, input: object): string {
  const body = Buffer.from(JSON.stringify(input))
  const lines = [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/x-amz-json-1.0',
    `X-Amz-Target: DynamoDB_20120810.${operation}`,
    'X-Amz-Date: 20260101T000000Z',
    `Authorization: ${authorization}`,
    `Content-Length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body.toString('latin1')}`
}
