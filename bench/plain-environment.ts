/**
 * The environment of a measured child: without `NODE_PATH`, which package runners such as `tsx`
 * set. It lets a program find packages that it would not find when a user starts it: an earlier
 * commit then loaded `supports-color` once more in each process of each run, and took five times as
 * long.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_PATH: _, ...rest } = process.env
  return rest
}
