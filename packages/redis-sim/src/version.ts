/** The simulated version of Redis, as HELLO and INFO report it. */
export const redisVersion = '7.0.15'
