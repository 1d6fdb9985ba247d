// What the chart renders for each file of helm/ci and for the values of a test, read as objects.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { findProgram } from '#local-servers/find-program'
import { describeWhere } from '#testing/where-possible'
import { registry } from '../../deploy/registry.ts'

export type Json = { [field: string]: unknown }
export type Container = {
  name: string
  command?: string[]
  env?: {
    name: string
    value?: string
    valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
  }[]
  securityContext: Json
  resources: { requests: Json; limits: Json }
  startupProbe?: Json
  livenessProbe?: Json
  readinessProbe?: Json
  volumeMounts?: { name: string; mountPath: string }[]
  envFrom?: Json[]
}
export type PodSpec = { containers: Container[]; initContainers?: Container[]; securityContext: Json } & Json
export type Rendered = {
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Json }
  spec: Json
  data?: Record<string, string>
  value?: number
}

const root = join(import.meta.dirname, '../..')
export const chart = join(root, 'helm')
const path = process.env.PATH ?? ''
export const helm = findProgram('helm', path)
export const kubeconform = findProgram('kubeconform', path)
const canRun = (helm !== null && kubeconform !== null) || process.env.CI === 'true'
export const withChart = describeWhere(canRun, 'the chart needs helm and kubeconform on the PATH.')
/** The names of the services. */
export const names = registry.map(({ name }) => name).toSorted()
/** The files of values of helm/ci, by name; `default` has none. */
export const cases = ['default', ...readdirSync(join(chart, 'ci')).map((file) => file.replace('-values.yaml', ''))]
export const component = 'app.kubernetes.io/component'

const rendered = new Map<string, string>()

/** The rendered text of a file of helm/ci. */
export function text(name: string): string {
  const known = rendered.get(name) ?? template(valuesOf(name))
  rendered.set(name, known)
  return known
}

function template(args: string[]): string {
  return run(helm, ['template', 't', chart, '--kube-version', '1.34.0', ...args])
}

/** The objects rendered with these arguments of helm. Throws what helm says of values that it refuses. */
export function render(args: string[]): Rendered[] {
  return objectsIn(template(args))
}

/** The objects of a file of helm/ci. */
export function objects(name: string): Rendered[] {
  return objectsIn(text(name))
}

/** The objects in a rendered text. */
export function objectsIn(yaml: string): Rendered[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null)
}

/** The arguments of helm for a file of helm/ci. */
export function valuesOf(name: string): string[] {
  return name === 'default' ? [] : ['--values', join(chart, `ci/${name}-values.yaml`)]
}

/** The objects of one kind. */
export function ofKind(name: string, kind: string): Rendered[] {
  return objects(name).filter((object) => object.kind === kind)
}

/** Every pod of a file of helm/ci, with the object that starts it. */
export function pods(name: string): { owner: string; kind: string; pod: PodSpec }[] {
  return objects(name).flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') return { owner: metadata.name, kind, pod: spec as PodSpec }
    const template = spec?.template as { spec: PodSpec } | undefined
    return template === undefined ? [] : { owner: metadata.name, kind, pod: template.spec }
  })
}

/** The pod of one service. */
export function podOf(name: string, service: string): PodSpec {
  const found = pods(name).find(({ owner }) => owner === `t-storefront-${service}`)
  if (found === undefined) throw new Error(`${service} is not rendered.`)
  return found.pod
}

/** The container of one service. */
export function containerOf(name: string, service: string): Container {
  const [container] = podOf(name, service).containers
  if (container === undefined) throw new Error(`${service} has no container.`)
  return container
}

/** The labels of the pods of a Deployment. */
export function labelsOf(spec: Json): Record<string, string> {
  return (spec.template as { metadata: { labels: Record<string, string> } }).metadata.labels
}

/** The services that a policy selects. */
export function componentsOf(policy: Json | undefined): string[] {
  const { podSelector } = policy as { podSelector: { matchExpressions: { values: string[] }[] } }
  return podSelector.matchExpressions[0]?.values ?? []
}

/** The name of an object without that of the release. */
export function short(name: string): string {
  return name.replace('t-storefront-', '')
}

/** Runs a program and returns what it prints. */
export function run(program: string | null, args: string[], input?: string): string {
  if (program === null) throw new Error('helm and kubeconform are not on the PATH; .ci/run installs them.')
  return execFileSync(program, args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** A file of the repository as text. */
export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
