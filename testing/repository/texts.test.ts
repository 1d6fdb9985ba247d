// No text of the console stands in its code: what a person reads or hears stands in console/src/words. docs/spec/console.md#construction
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from 'vite'

const root = join(import.meta.dirname, '../..')
const folder = 'console/src'
/** Attributes, and properties of the console's own parts, that a person reads or hears. */
const spoken = new Set([
  'alt',
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'empty',
  'hint',
  'label',
  'placeholder',
  'sentence',
  'submit',
  'summary',
  'title',
])
const aLetter = /\p{L}/u

type Node = { type: string; start: number } & Record<string, unknown>

/** The texts that a file of components shows, each with its line. */
function textsIn(code: string): string[] {
  const found: string[] = []
  const note = (text: string, { start }: Node) => {
    const line = code.slice(0, start).split('\n').length
    if (aLetter.test(text)) found.push(`${line}: ${text.trim()}`)
  }
  const { program, errors } = parseSync('component.tsx', code)
  expect(errors).toEqual([])
  visit(program, (node) => {
    const isShown = node.type === 'JSXFragment' || (node.type === 'JSXElement' && !isKey(node))
    if (isShown) for (const child of nodesIn(node.children)) shown(child, note)
    if (node.type !== 'JSXAttribute') return
    const name = nodesIn(node.name)[0]?.name
    if (typeof name === 'string' && spoken.has(name)) for (const value of nodesIn(node.value)) shown(value, note)
  })
  return found
}

/** What an expression shows: literals, also in a condition, a template or a sum of texts. */
function shown(node: Node, note: (text: string, node: Node) => void): void {
  const parts = (...names: string[]) => {
    for (const name of names) for (const part of nodesIn(node[name])) shown(part, note)
  }
  switch (node.type) {
    case 'JSXText':
    case 'Literal':
      if (typeof node.value === 'string') note(node.value, node)
      break
    case 'TemplateElement':
      note((node.value as { raw: string }).raw, node)
      break
    case 'TemplateLiteral':
      parts('quasis')
      break
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      parts('expression')
      break
    case 'ConditionalExpression':
      parts('consequent', 'alternate')
      break
    case 'LogicalExpression':
      parts('left', 'right')
      break
    case 'BinaryExpression':
      if (node.operator === '+') parts('left', 'right')
      break
    case 'ArrayExpression':
      parts('elements')
      break
    default:
  }
}

/** The cap of a key, such as `<kbd>f</kbd>`, is the same in every language. */
function isKey({ openingElement }: Node): boolean {
  return nodesIn(openingElement).some((opening) => nodesIn(opening.name)[0]?.name === 'kbd')
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see)
  else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) see(value)
    for (const part of Object.values(value)) visit(part, see)
  }
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value] : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

test.each([
  ['between tags', '<p>Save it</p>', ['1: Save it']],
  ['in a fragment', '<>\n  Save\n</>', ['1: Save']],
  ['in braces', "<p>{'Save'}</p>", ['1: Save']],
  ['beside a value', '<p>{`${ms} ms`}</p>', ['1: ms']],
  ['in a condition', "<p>{isOn ? 'on' : `off`}</p>", ['1: on', '1: off']],
  ['where something is', "<p>{isOn && 'on'}</p>", ['1: on']],
  ['added to a value', "<p>{count + ' rows'}</p>", ['1: rows']],
  ['in an attribute', '<button aria-label="Close" title={"Close it"} />', ['1: Close', '1: Close it']],
  ['in an attribute by a condition', "<input placeholder={isOn ? 'on' : words.off} />", ['1: on']],
  ['in a property of a part', '<Field label="Name" hint={`At most ${n}`} />', ['1: Name', '1: At most']],
])('a text %s is found', (_where, element, texts) => {
  expect(textsIn(`export const One = () => ${element}`)).toEqual(texts)
})

test('signs, keys, classes, values and texts of words are no texts of the code', () => {
  const code = `export const One = () => (
    <p class="soft" title={words.title} data-id={'x'}>
      × {' '} <kbd>f</kbd> {words.save} · {kind === 'card' && <b key="card">{\`\${left}…\${right}\`}</b>} {sum === 0 ? '' : sum}
    </p>
  )`
  expect(textsIn(code)).toEqual([])
})

test('no component of the console holds a text', () => {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.tsx'),
  )
  const found = paths.flatMap((path) =>
    textsIn(readFileSync(join(root, folder, path), 'utf8')).map((text) => `${path}:${text}`),
  )
  expect(paths.length).toBeGreaterThan(50)
  expect(found).toEqual([])
})
