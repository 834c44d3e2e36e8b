/**
 * An error as the service returns it: HTTP status, `__type`, message and further members of the
 * body. Types and texts are those of the API reference of 2012-08-10 ("Common Errors", and "Errors"
 * of each operation).
 */
export class ServiceError extends Error {
  constructor(
    /** The value of `__type`: `namespace#Name`. */
    readonly type: string,
    message: string,
    readonly status = 400,
    readonly members: Readonly<Record<string, unknown>> = {},
    /** The member that contains the message; null if the body contains no message. */
    readonly messageMember: 'message' | 'Message' | null = 'message',
  ) {
    super(message)
  }

  get body(): Record<string, unknown> {
    const text = this.messageMember === null ? {} : { [this.messageMember]: this.message }
    return { __type: this.type, ...this.members, ...text }
  }
}

const model = 'com.amazonaws.dynamodb.v20120810#'
const coral = 'com.amazon.coral.service#'

export const validation = (message: string): ServiceError =>
  new ServiceError('com.amazon.coral.validate#ValidationException', message)

/** The error for a member of the request if the member's shape does not allow its JSON type. */
export const serialization = (message: string): ServiceError =>
  new ServiceError(`${coral}SerializationException`, message, 400, {}, 'Message')

export const notJson = (): ServiceError => new ServiceError(`${coral}SerializationException`, '', 400, {}, null)

export const unknownOperation = (): ServiceError =>
  new ServiceError(`${coral}UnknownOperationException`, '', 400, {}, null)

export const missingSignature = (): ServiceError =>
  new ServiceError(`${coral}MissingAuthenticationTokenException`, 'Request is missing Authentication Token')

export const incompleteSignature = (message: string): ServiceError =>
  new ServiceError(`${coral}IncompleteSignatureException`, message)

export const noSuchTable = (named?: string): ServiceError =>
  new ServiceError(
    `${model}ResourceNotFoundException`,
    `Requested resource not found${named === undefined ? '' : `: Table: ${named} not found`}`,
  )

export const tableInUse = (message: string): ServiceError => new ServiceError(`${model}ResourceInUseException`, message)

export const conditionFailed = (item?: unknown): ServiceError =>
  new ServiceError(
    `${model}ConditionalCheckFailedException`,
    'The conditional request failed',
    400,
    item === undefined ? {} : { Item: item },
  )

export const throttled = (): ServiceError =>
  new ServiceError(
    `${model}ProvisionedThroughputExceededException`,
    'The level of configured provisioned throughput for the table was exceeded. ' +
      'Consider increasing your provisioning level with the UpdateTable API.',
  )

export const internalError = (): ServiceError =>
  new ServiceError(`${model}InternalServerError`, 'The request processing has failed because of an internal error', 500)

export const transactionConflict = (): ServiceError =>
  new ServiceError(`${model}TransactionConflictException`, 'Transaction is ongoing for the item')

export const tokenMismatch = (): ServiceError =>
  new ServiceError(
    `${model}IdempotentParameterMismatchException`,
    'Request parameters do not match the parameters of a previous request with the same client token',
    400,
    {},
    'Message',
  )

/**
 * Why one action of a transaction failed; `None` if it did not fail. A response lists the reasons
 * in the order of the actions.
 */
export interface CancellationReason {
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'TransactionConflict' | 'ValidationError'
  readonly Message?: string
  readonly Item?: unknown
}

export const transactionCancelled = (reasons: readonly CancellationReason[]): ServiceError =>
  new ServiceError(
    `${model}TransactionCanceledException`,
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    400,
    { CancellationReasons: reasons },
    'Message',
  )
