// Owns what the image sets for every process of a service so that it needs little memory (deploy/Dockerfile), for those that start
// services without the image and want them to be the same: two arenas instead of one for each thread, which is some 20 MB
// less, and what was compiled ahead.

export function asInImage(compiledFolder: string): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compiledFolder }
}
