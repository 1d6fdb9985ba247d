// Owns how node:http is loaded. `import` reads everything that it exports at once, its WebSocket among it, and for that loads all of
// undici, which nobody uses here: 2.4 MB of the heap and 13 MB of memory at the start of every process (docs/performance.md).
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')
