// Says in words why a file or folder cannot be read or written, for people who do not know the codes of Node.
const reasons: Record<string, string> = {
  EACCES: 'this user may not do that there',
  EPERM: 'this user may not do that there',
  EEXIST: 'something else has that name',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'it can only be read',
}

/** Why an operation on a file failed, in words for the end of a sentence; null for an error of another kind. */
export function whyUnusable(error: unknown): string | null {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (typeof code !== 'string' || (error as NodeJS.ErrnoException).syscall === undefined) return null
  return reasons[code] ?? code
}
