// The name of a member or of a product, and a short form of its id until it has come.
import { shortId } from '../../parts/copy.tsx'
import { words } from '../../words/en.ts'
import { type Names, useName } from './names.ts'

export function NameOf({ of, id, names }: { of: keyof Names; id: string | null; names: Names }) {
  return <>{useName(id, names[of], id === null ? words.memberships.nobody : shortId(id))}</>
}
