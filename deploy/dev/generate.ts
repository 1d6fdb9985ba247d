// `npm run generate`: derives files, or parts of them, from deploy/services.json, the contracts and the OpenAPI documents where a file
// cannot read those. Whole files are replaced; elsewhere the lines between "BEGIN services" and "END services" are. Tests fail while a file
// differs: deploy/services.test.ts, those of the clients, and console/reference.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { busLogins, passwordVariable } from '../bus-logins.ts'
import { pythonFiles } from '../clients/python.ts'
import { referenceFiles } from '../clients/reference.ts'
import { typescriptFiles } from '../clients/typescript.ts'
import { registry, type ServiceEntry } from '../registry.ts'
import { sloFile } from '../slo-rules.ts'

const root = join(import.meta.dirname, '../..')
const names = registry.map(({ name }) => name).join(', ')
const logins = `# The logins of the services on NATS, and what each may publish and subscribe to: docs/spec/internals.md#bus-logins.
# Written by \`npm run generate\` from libs/contracts/calls.ts. Include it in the configuration of your server, and set the passwords in
# its environment: letters and digits, a letter first.
${busLogins()}`
const schemas = registry.flatMap(({ schema }) => (schema === null ? [] : [schema]))

/** Each derived file with the text that it must have. */
export function generatedFiles(): { path: string; text: string }[] {
  return [
    { path: 'helm/services.json', text: read('deploy/services.json') },
    { path: 'helm/logins.conf', text: logins },
    filled('helm/rules/storefront.yaml', registry.map(absentService).join('')),
    composeFile(),
    filled('deploy/prometheus.yml', `      - names: [${names}]\n`),
    filled('deploy/roles.sql', `  schemas constant text[] := array['${schemas.join("', '")}'];\n`),
  ]
}

// The services, and the passwords of their logins on the bus.
function composeFile(): { path: string; text: string } {
  const { path, text } = filled('docker-compose.yml', registry.map(composeService).join('\n'))
  const passwords = registry.map(({ name }) => `      ${passwordVariable(name)}: ${passwordOf(name)}\n`)
  const marked = /^(.*BEGIN logins.*\n)[^]*?(.*END logins.*)$/m
  return { path, text: text.replace(marked, (_all, begin: string, end: string) => begin + passwords.join('') + end) }
}

function passwordOf(name: string): string {
  return `\${${passwordVariable(name)}:-only-for-development}`
}

function composeService({ name, schema, port, needs }: ServiceEntry): string {
  const environment = [
    'environment',
    ...(schema === null ? [] : ['database']),
    ...(needs.includes('mail') ? ['mail'] : []),
    ...(needs.includes('adminToken') ? ['admin-token'] : []),
    ...(port?.setting === 'PORT' ? ['proxies'] : []),
  ]
  const lines = [
    `${name}:`,
    '  <<: *service',
    `  command: [node, services/${name}/main.ts]`,
    '  environment:',
    `    <<: [${environment.map((part) => `*${part}`).join(', ')}]`,
    `    NATS_URL: nats://${name}:${passwordOf(name)}@nats:4222`,
    ...(needs.includes('mail') ? ['  depends_on: { <<: [*dependencies, *mail-server] }'] : []),
    // The reverse proxy leads to the public gateways; another port is published on the loopback.
    ...(port?.setting === 'ADMIN_PORT' ? [`  ports: ["127.0.0.1:${port.number}:${port.number}"]`] : []),
  ]
  return lines.map((line) => `  ${line}\n`).join('')
}

// `sum` says nothing of a service without any target.
function absentService({ name }: ServiceEntry): string {
  return `            or absent(up{job="storefront",service="${name}"})\n`
}

function filled(path: string, lines: string): { path: string; text: string } {
  const marked = /^(.*BEGIN services.*\n)[^]*?(.*END services.*)$/m
  return { path, text: read(path).replace(marked, (_all, begin: string, end: string) => `${begin}${lines}${end}`) }
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

if (import.meta.main) {
  for (const { path, text } of [
    ...generatedFiles(),
    sloFile(),
    ...typescriptFiles(),
    ...pythonFiles(),
    ...referenceFiles(),
  ]) {
    if (text === read(path)) continue
    writeFileSync(join(root, path), text)
    process.stdout.write(`${path} is updated\n`)
  }
}
