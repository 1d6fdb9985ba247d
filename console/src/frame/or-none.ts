// An object that need not be there.
import { StorefrontError } from '../../../clients/typescript/src/client.ts'

/** Null where the API has no such object; other refusals are thrown. */
export async function orNone<One>(loading: Promise<One>): Promise<One | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof StorefrontError && error.code === 'not_found') return null
    throw error
  }
}

/** Whether a text is the id of an object. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
