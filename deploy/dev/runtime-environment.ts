// The environment that the image sets for every service (deploy/image/Dockerfile), for programs that start services without it.

/** `compiledFolder` is where Node keeps compiled code, see deploy/image/compile.ts. */
export function runtimeEnvironment(compiledFolder: string) {
  return { NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=2048', NODE_COMPILE_CACHE: compiledFolder }
}
