/**
 * A payment by a provider with idempotency keys, as Stripe has them, for `idempotent` of
 * express-route.ts. A request that was not answered is repeated with the same key: the provider
 * answers it like the first one, so nothing is ever in doubt.
 */
import type { Request } from 'express'
import type { Attempt, OnceOptions } from 'onceproof/once'

/** The members of Stripe's client that are used. */
export interface StripeLike {
  readonly paymentIntents: {
    create(
      payment: { amount: number; currency: string; confirm: boolean },
      options: { idempotencyKey: string },
    ): Promise<{ readonly id: string; readonly status: string }>
  }
}

/**
 * Stripe removes keys after 24 hours at the earliest. The retention and twice the clock skew must
 * be shorter.
 */
export const stripeRules = {
  sink: { kind: 'keyed' },
  retentionMs: 23 * 3_600_000,
  /** A declined card. Stripe repeats this answer for the key, so it is final. */
  isRefusal: (error: unknown) => (error as { type?: string }).type === 'StripeCardError',
} as const satisfies Partial<OnceOptions>

export const chargedBy = (stripe: StripeLike) => (request: Request, attempt: Attempt) =>
  stripe.paymentIntents.create(
    { amount: request.body.amountCents, currency: 'eur', confirm: true },
    { idempotencyKey: attempt.key },
  )
