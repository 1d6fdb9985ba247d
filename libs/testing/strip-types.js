// Owns the jest transform: Node's own type stripping, so that tests see the same code as `node file.ts` does.
import { stripTypeScriptTypes } from 'node:module'

export default {
  process(source) {
    return { code: stripTypeScriptTypes(source, { mode: 'strip' }) }
  },
}
