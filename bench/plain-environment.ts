/**
 * The environment of a child that is measured: without `NODE_PATH`, which the starters of packages
 * set, `tsx` among them. By it a program finds packages that it does not find where a user starts
 * it: an earlier commit then loaded `supports-color` once more in each process of each run, and
 * took five times as long.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_PATH: _, ...rest } = process.env
  return rest
}
