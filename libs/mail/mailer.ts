// Owns how the mail library is loaded: in its CommonJS form, since the other one imports node:http (libs/memory/node-http.ts).
import { createRequire } from 'node:module'
import type Nodemailer from 'nodemailer'

export const { createTransport } = createRequire(import.meta.url)('nodemailer') as typeof Nodemailer
