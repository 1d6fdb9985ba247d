// Owns how Moleculer is loaded: as the CommonJS that it is. Its other form, which `import` finds, is that one and a runner for the
// command line besides, with a second Lodash and a second glob: 2 MB of the heap of every process.
import { createRequire } from 'node:module'
import type * as Moleculer from 'moleculer'

const load = createRequire(import.meta.url)

export const { Errors, Serializers, ServiceBroker, Transporters } = load('moleculer') as typeof Moleculer
