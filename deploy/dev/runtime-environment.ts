// Owns what the image sets for every process of a service so that it needs little memory (deploy/image/Dockerfile), for those that start
// services without the image and want them to be the same: one arena that gives back what is free, a heap that is kept
// small, and what was compiled ahead.

export function asInImage(compiledFolder: string) {
  return {
    MALLOC_ARENA_MAX: '1',
    MALLOC_TRIM_THRESHOLD_: '131072',
    NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=384',
    NODE_COMPILE_CACHE: compiledFolder,
  }
}
