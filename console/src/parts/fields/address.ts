// A postal address as a form holds it, and the body that the API gets of it. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { textOrNull } from './changes.ts'

type Address = BackOfficeSchemas['Address']
type Line = 'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country'
/** As typed; blank is none. */
export type TypedAddress = Record<Line, string>

export function typedAddress(address: Address | null): TypedAddress {
  const { line1, line2, city, region, postalCode, country } = address ?? {}
  return {
    line1: line1 ?? '',
    line2: line2 ?? '',
    city: city ?? '',
    region: region ?? '',
    postalCode: postalCode ?? '',
    country: country ?? '',
  }
}

export function addressBody(typed: TypedAddress): Record<string, string | null> {
  return Object.fromEntries(Object.entries(typed).map(([name, line]) => [name, textOrNull(line)]))
}
