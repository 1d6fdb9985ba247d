// Audit of all shops: what operators changed or tried to change anywhere, with every sign-in. For owners.
import { useMemo } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { ownZone } from '../../parts/time.ts'
import type { WideScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { nameIn, useShopNames } from '../operators/shop-names.ts'
import { auditList, type AuditScope } from './audit-list.tsx'
import { EntryDetail } from './entry-detail.tsx'

type AuditQuery = NonNullable<Parameters<typeof api.audit.listAll>[0]>

const text = words.audit
const PATH = '/audit'

export function AuditAll({ id }: WideScreenProps) {
  const scope = useMemo<AuditScope>(
    () => ({
      path: PATH,
      title: words.screens.auditAll,
      empty: text.emptyAll,
      zone: ownZone(),
      shop: null,
      list: (query, signal) => api.audit.listAll(query as AuditQuery, { signal }),
      ways: (query) => [asCurl(location.origin, { method: 'GET', path: PATH, query }), asCommand('audit', null, query)],
    }),
    [],
  )
  const names = useShopNames()
  const config = useMemo(() => auditList(scope, (shop) => nameIn(names, shop)), [scope, names.shops])
  return (
    <ListAndObject config={config} id={id} one={text.one}>
      {(open, place) => <EntryDetail key={open} scope={scope} id={open} place={place} />}
    </ListAndObject>
  )
}
