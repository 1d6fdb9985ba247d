// Owns the list of settings: name, default, meaning, and what is allowed, in words (run.md, Environment). config.ts reads
// them from the environment; the README's table is compared with this one by a test.
import { samplers } from './setting-values.ts'

export type SettingName = keyof typeof settings
export type Setting = { fallback: string; meaning: string; allowed: string; secret: boolean }

const open = { secret: false }
const secret = { secret: true }
const portAllowed = 'a whole number from 0 to 65535 (0 = any free port)'
const budgetAllowed = 'a whole number from 1 to 1000000'
const flagAllowed = 'true or false'
const longSecretAllowed = 'a text of at least 32 characters'

export const settings = {
  PORT: { ...open, fallback: '3000', meaning: 'public HTTP', allowed: portAllowed },
  ADMIN_PORT: { ...open, fallback: '3100', meaning: 'admin-gateway', allowed: portAllowed },
  OPS_PORT: {
    ...open,
    fallback: '9100',
    meaning: '`/livez`, `/readyz`, `/metrics` of every process; never on the public port',
    allowed: portAllowed,
  },
  PUBLIC_URL: {
    ...open,
    fallback: 'http://127.0.0.1:$PORT',
    meaning: 'own origin: links in mails, the MCP Origin check',
    allowed: 'an http or https origin without a path',
  },
  ADMIN_TOKEN: {
    ...secret,
    fallback: 'made on first start in embedded mode; required otherwise',
    meaning: 'back-office bearer token',
    allowed: 'a text of visible ASCII characters without blanks',
  },
  DATABASE_URL: {
    ...secret,
    fallback: 'embedded PostgreSQL in `DATA_DIR`',
    meaning: 'one database; each service connects as its own role to its own schema',
    allowed: 'a postgres:// URL that names a database',
  },
  NATS_URL: {
    ...secret,
    fallback: 'none in embedded mode; required otherwise',
    meaning: 'the bus',
    allowed: 'one or more servers, comma-separated, such as nats://bus:4222, tls://bus:4222 or bus:4222',
  },
  DATA_DIR: {
    ...open,
    fallback: '.data',
    meaning: 'embedded PostgreSQL, mail files, made secrets',
    allowed: 'the path of a folder',
  },
  SECRET_KEY: {
    ...secret,
    fallback: 'made on first start in embedded mode; required otherwise',
    meaning: 'cursor signing, opt-in tokens, encryption of webhook secrets at rest',
    allowed: longSecretAllowed,
  },
  SECRET_KEY_PREVIOUS: {
    ...secret,
    fallback: 'none',
    meaning: 'the key before `SECRET_KEY`, still read while it is rotated',
    allowed: longSecretAllowed,
  },
  SMTP_URL: {
    ...secret,
    fallback: 'mail files in `DATA_DIR/mail`',
    meaning: 'where mails go: opt-in mails, and notices about webhooks to the `ownerEmail` of a shop',
    allowed: 'an smtp:// or smtps:// URL',
  },
  TRUSTED_PROXIES: {
    ...open,
    fallback: 'none',
    meaning: 'address ranges whose `X-Forwarded-For` is believed',
    allowed: 'comma-separated CIDRs such as 10.0.0.0/8,fd00::/8',
  },
  REQUESTS_PER_MINUTE: {
    ...open,
    fallback: '240',
    meaning: 'the budget of a key; other values are for load tests only',
    allowed: budgetAllowed,
  },
  AUTH_FAILURES_PER_MINUTE: {
    ...open,
    fallback: '30',
    meaning: 'the budget of failed authentications per source address',
    allowed: budgetAllowed,
  },
  WEBHOOK_ALLOW_PRIVATE: {
    ...open,
    fallback: 'false',
    meaning: 'allow webhook targets on private and loopback addresses (development)',
    allowed: flagAllowed,
  },
  WEBHOOK_RETRY_SECONDS: {
    ...open,
    fallback: '5,30,120,600,1800,7200,18000,36000,50400,72000,86400',
    meaning: 'waits between attempts of a webhook delivery',
    allowed: '1 to 50 comma-separated numbers of seconds, each above 0 and at most 604800',
  },
  DEMO: {
    ...open,
    fallback: 'true in embedded mode',
    meaning: 'fill the demo shop on first start',
    allowed: flagAllowed,
  },
  LOG_LEVEL: {
    ...open,
    fallback: 'info',
    meaning: 'how much is logged; structured JSON on stdout, pretty on a terminal',
    allowed: 'trace, debug, info, warn, error, fatal or silent',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...open,
    fallback: 'none',
    meaning: 'the OpenTelemetry collector that spans go to, by OTLP over HTTP; without it nothing is traced',
    allowed: 'an http or https URL such as http://collector:4318',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...secret,
    fallback: 'none',
    meaning: 'headers that the collector asks for',
    allowed: 'comma-separated pairs such as authorization=Bearer%20token',
  },
  OTEL_TRACES_SAMPLER: {
    ...open,
    fallback: 'parentbased_always_on',
    meaning: 'which traces are kept',
    allowed: `one of ${samplers.join(', ')}`,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    ...open,
    fallback: '1',
    meaning: 'the part of the traces that a `traceidratio` sampler keeps',
    allowed: 'a number from 0 to 1',
  },
} satisfies Record<string, Setting>
