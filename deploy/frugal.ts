// Owns what the image sets for every process of a service so that it needs little memory (deploy/Dockerfile), for those that start
// services without the image and want them to be the same.
//
// Two arenas instead of one for each thread are some 20 MB less. A young generation of 4 MB instead of 16 is collected before
// the pages that it holds, which lie beside the heap, have become tens of megabytes (docs/performance.md). What was compiled ahead is taken from `compiledFolder`.

export function asInImage(compiledFolder: string): Record<string, string> {
  return {
    MALLOC_ARENA_MAX: '2',
    NODE_OPTIONS: '--max-semi-space-size=4',
    NODE_COMPILE_CACHE: compiledFolder,
  }
}
