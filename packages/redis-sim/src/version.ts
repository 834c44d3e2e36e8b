/** The Redis that is simulated, as HELLO and INFO name it. */
export const redisVersion = '7.0.15'
