// How Vite builds the console, and serves it while somebody works on it: `npx vite console` beside `npm start`.
import { join } from 'node:path'
import { defineConfig } from 'vite'

const ADMIN_URL = 'http://127.0.0.1:3100'

export default defineConfig({
  root: import.meta.dirname,
  clearScreen: false,
  build: {
    // Newest form that the browsers of the last two years read.
    target: 'es2022',
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    // The policy of the page allows no data: address but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // The host header stays that of this server, so that the origin of a change is its own.
  server: { proxy: { '/admin/v1': { target: ADMIN_URL, changeOrigin: false } } },
})
