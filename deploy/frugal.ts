// Owns what the image sets for every process of a service so that it needs little memory (deploy/Dockerfile), for those that start
// services without the image and want them to be the same: two arenas instead of one for each thread, which is some 20 MB
// less, a heap that is kept small, and what was compiled ahead.

export function asInImage(compiledFolder: string) {
  return {
    MALLOC_ARENA_MAX: '2',
    NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=384',
    NODE_COMPILE_CACHE: compiledFolder,
  }
}
