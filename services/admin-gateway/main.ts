// Runs the admin-gateway as a process of its own. Reading a file makes much that is forgotten at once; left alone, the
// runtime lets the room for that grow to 128 MB, and all else to four times what is needed, before it clears anything.
// import-formats.md, "Size": memory does not grow with the file. It is said before anything else is loaded, because loading
// is much of that kind as well.
import { setFlagsFromString } from 'node:v8'

for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)
const [{ runService }, { adminGateway }] = await Promise.all([import('#runtime/main'), import('./service.ts')])
await runService(adminGateway)
