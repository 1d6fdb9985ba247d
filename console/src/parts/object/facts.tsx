// What an object says of itself, as labelled facts.
import type { ComponentChildren } from 'preact'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

/** Left out where there is nothing to say. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  const isEmpty = [children]
    .flat(3)
    .every((child) => child === null || child === undefined || child === false || child === '')
  if (isEmpty) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function lines(texts: readonly (string | null)[]): ComponentChildren[] {
  return texts.filter((one) => one !== null).map((one, index) => <div key={index}>{one}</div>)
}

/** The whole address is null for a role that sees no personal data. */
export function addressLines(address: BackOfficeSchemas['Address'] | null): ComponentChildren[] {
  if (address === null) return []
  const { line1, line2, city, region, postalCode, country } = address
  return lines([line1, line2, [postalCode, city].filter((part) => part !== null).join(' ') || null, region, country])
}
