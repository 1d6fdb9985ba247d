// `npm run generate`: writes what follows from deploy/services.json into files that cannot read it. Whole files are replaced;
// elsewhere the lines between "BEGIN services" and "END services" are. deploy/services.test.ts fails while a file differs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registry, type ServiceEntry } from '../registry.ts'

const root = join(import.meta.dirname, '../..')
const names = registry.map(({ name }) => name).join(', ')
const schemas = registry.flatMap(({ schema }) => (schema === null ? [] : [schema]))

/** Each derived file with the text that it must have. */
export function generatedFiles(): { path: string; text: string }[] {
  return [
    { path: 'helm/services.json', text: read('deploy/services.json') },
    filled('docker-compose.yml', registry.map(composeService).join('\n')),
    filled('deploy/prometheus.yml', `      - names: [${names}]\n`),
    filled('deploy/roles.sql', `  schemas constant text[] := array['${schemas.join("', '")}'];\n`),
  ]
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
    `  environment: { <<: [${environment.map((part) => `*${part}`).join(', ')}] }`,
    ...(needs.includes('mail') ? ['  depends_on: { <<: [*dependencies, *mail-server] }'] : []),
    // The reverse proxy leads to the public gateways; another port is published on the loopback.
    ...(port?.setting === 'ADMIN_PORT' ? [`  ports: ["127.0.0.1:${port.number}:${port.number}"]`] : []),
  ]
  return lines.map((line) => `  ${line}\n`).join('')
}

function filled(path: string, lines: string): { path: string; text: string } {
  const marked = /^(.*BEGIN services.*\n)[^]*?(.*END services.*)$/m
  return { path, text: read(path).replace(marked, (_all, begin: string, end: string) => `${begin}${lines}${end}`) }
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

if (import.meta.main) {
  for (const { path, text } of generatedFiles()) {
    if (text === read(path)) continue
    writeFileSync(join(root, path), text)
    process.stdout.write(`${path} is written anew\n`)
  }
}
