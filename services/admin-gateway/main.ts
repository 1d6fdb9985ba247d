// Runs the admin-gateway as a process of its own. Reading a file makes much that is forgotten at once; left alone, the
// runtime lets the room for that grow to 128 MB before it clears it. import-formats.md, "Size": memory does not grow with
// the file. It is said before anything else is loaded, because loading is much of that kind as well.
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--semi-space-growth-factor=1')
const [{ runService }, { adminGateway }] = await Promise.all([import('#broker/main'), import('./service.ts')])
await runService(adminGateway)
