// Owns how the router is loaded: in its CommonJS form, since the other one imports node:http (libs/memory/node-http.ts).
import { createRequire } from 'node:module'
import type KoaRouter from '@koa/router'

/** The class of routers. */
export const Router = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter
